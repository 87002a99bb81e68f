// Which audiences name which.
import { isJsonObject } from "#contract";
import type { AudienceConfig } from "#topics";

interface Named {
  readonly references: readonly string[];
}

/** A record is read once: the store gives the same object until there is a newer one. */
const known = new WeakMap<AudienceConfig, Named>();

/** Keys of the audiences that a definition names, which was accepted once: its form is known. */
function referencesIn(node: unknown): string[] {
  if (!isJsonObject(node)) return [];
  const { all, any, not, audience } = node;
  const below = [all, any].flatMap((group) => (Array.isArray(group) ? group : []));
  const own = typeof audience === "string" ? [audience] : [];
  return [...own, ...[...below, not].flatMap(referencesIn)];
}

function namedBy(config: AudienceConfig): Named {
  const before = known.get(config);
  if (before !== undefined) return before;
  const { definition, kind } = config;
  const named = {
    references: kind === "audience" && definition !== null ? referencesIn(JSON.parse(definition)) : [],
  };
  known.set(config, named);
  return named;
}

/** Audiences that a definition may name, lists included, by key. */
export function referencesByKey(configs: readonly AudienceConfig[]): Map<string, Named> {
  const nameable = configs.filter(({ deletedAtMs, kind }) => deletedAtMs === null && kind !== "trait");
  return new Map(nameable.map((config) => [config.key, namedBy(config)]));
}

/** Keys of the audiences that name this one. */
export function referrersOf(key: string, configs: readonly AudienceConfig[]): string[] {
  return [...referencesByKey(configs)].flatMap(([referrer, { references }]) =>
    references.includes(key) ? [referrer] : [],
  );
}
