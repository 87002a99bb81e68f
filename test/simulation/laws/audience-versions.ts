// What was configured of each audience, list and computed trait, version by version.
import type { AudienceConfig } from "#topics";
import type { AudienceWrite } from "../plan/plan.ts";
import type { Story } from "./story.ts";

export interface Versions {
  readonly newest: AudienceConfig;
  /** As they were asked for, the first one first. */
  readonly writes: readonly AudienceWrite[];
  /** JSON, by generation; null of a list. */
  readonly definitions: ReadonlyMap<number, string | null>;
}

function definitionsOf(writes: readonly AudienceWrite[]): Map<number, string | null> {
  const definitions = new Map<number, string | null>();
  for (const { config } of writes) {
    for (const { definition, generation } of config.earlier) definitions.set(generation, definition);
    definitions.set(config.generation, config.definition);
  }
  return definitions;
}

const known = new WeakMap<Story["plan"], ReadonlyMap<string, Versions>>();

/** By id. */
export function versionsOf({ plan }: Pick<Story, "plan">): ReadonlyMap<string, Versions> {
  const found = known.get(plan) ?? readVersions(plan.audiences);
  known.set(plan, found);
  return found;
}

function readVersions(all: readonly AudienceWrite[]): ReadonlyMap<string, Versions> {
  const byId = Map.groupBy(all, ({ config }) => config.id);
  return new Map(
    Array.from(byId, ([id, writes]) => {
      const newest = writes.reduce((one, other) =>
        other.config.updatedAtMs > one.config.updatedAtMs ? other : one,
      );
      return [id, { newest: newest.config, writes, definitions: definitionsOf(writes) }];
    }),
  );
}
