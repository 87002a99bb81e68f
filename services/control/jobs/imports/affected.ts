// What an import is about, and what else changes with the list, by names that people know; pure.
import type { AudienceConfig, DestinationConfig } from "#topics";
import { namedBy } from "../../resources/audiences/references.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

interface SomeNamed {
  readonly total: number;
  readonly first: Named[];
}

export interface Affected {
  /** Null when the list was deleted. */
  readonly audienceName: string | null;
  /** Audiences that name the list, themselves or through others. */
  readonly audiences: SomeNamed;
  /** That are sent each change. */
  readonly destinations: SomeNamed;
}

const MOST_NAMED = 20;

/** `connected`: destinations that take what audiences say. */
export function affectedBy(
  audienceId: string,
  configs: readonly AudienceConfig[],
  connected: readonly DestinationConfig[],
): Affected {
  const existing = configs.filter(({ deletedAtMs }) => deletedAtMs === null);
  const list = existing.find(({ id }) => id === audienceId);
  const receivers = connected.filter(({ enabled }) => enabled);
  return {
    audienceName: list?.name ?? null,
    audiences: some(list === undefined ? [] : namingThrough(list, existing)),
    destinations: some(receivers),
  };
}

/** In the order in which they were found: those that name it themselves first. */
function namingThrough(list: AudienceConfig, configs: readonly AudienceConfig[]): AudienceConfig[] {
  const found = new Set([list]);
  for (const { key } of found)
    for (const config of configs) if (namedBy(config).references.includes(key)) found.add(config);
  found.delete(list);
  return [...found];
}

function some(all: readonly Named[]): SomeNamed {
  return { total: all.length, first: all.slice(0, MOST_NAMED).map(({ id, name }) => ({ id, name })) };
}
