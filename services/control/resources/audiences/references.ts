// Which audiences name which, and which computed traits, and what judging by each costs.
import {
  type DefinitionCost,
  definitionCost,
  type ReduceFn,
  reduceFnOf,
  type Subject,
  subjectIn,
} from "#audiences";
import { isJsonObject } from "#contract";
import type { AudienceConfig } from "#topics";

interface Named {
  readonly references: readonly string[];
  /** Of a computed trait. */
  readonly fn: ReduceFn | undefined;
  readonly of: Subject;
  readonly cost: DefinitionCost;
}

/** A record is read once, when it comes: the store gives the same object until there is a newer one. */
const known = new WeakMap<AudienceConfig, Named>();

/** Keys of the audiences and computed traits that a definition names, which was accepted once: its form is known. */
function referencesIn(node: unknown): string[] {
  if (!isJsonObject(node)) return [];
  const { all, any, not, members, audience, computedTrait } = node;
  const below = [all, any].flatMap((group) => (Array.isArray(group) ? group : []));
  const own = [audience, computedTrait].filter((key) => typeof key === "string");
  return [...own, ...[...below, not, members].flatMap(referencesIn)];
}

/**
 * To be called for each record that comes, so that no request has to read all of them; of one that cannot be read, which names nothing
 * and costs nothing, other requests need not know.
 */
export function namedBy(config: AudienceConfig): Named {
  const before = known.get(config);
  if (before !== undefined) return before;
  const { definition, kind } = config;
  const given = definition === null ? null : parsedOrNull(definition);
  const named = {
    references: kind === "audience" ? referencesIn(given) : [],
    fn: kind === "trait" ? reduceFnOf(given) : undefined,
    of: subjectIn(given),
    cost: definitionCost(given),
  };
  known.set(config, named);
  return named;
}

function parsedOrNull(definition: string): unknown {
  try {
    return JSON.parse(definition);
  } catch {
    return null;
  }
}

/** What a definition may name, lists and computed traits included, by key. */
export function referencesByKey(configs: readonly AudienceConfig[]): Map<string, Named> {
  const nameable = configs.filter(({ deletedAtMs }) => deletedAtMs === null);
  return new Map(nameable.map((config) => [config.key, namedBy(config)]));
}

/** Of all that are there but the one with this key. */
export function costsBeside(key: string | undefined, configs: readonly AudienceConfig[]): DefinitionCost[] {
  return configs
    .filter((config) => config.deletedAtMs === null && config.key !== key)
    .map((config) => namedBy(config).cost);
}

/** Keys of the audiences that name this one. */
export function referrersOf(key: string, configs: readonly AudienceConfig[]): string[] {
  return [...referencesByKey(configs)].flatMap(([referrer, { references }]) =>
    references.includes(key) ? [referrer] : [],
  );
}
