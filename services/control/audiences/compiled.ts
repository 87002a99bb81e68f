// One audience or computed trait with what it names, compiled.
import {
  type Computation,
  type ComputationInput,
  type ComputationSet,
  compileSet,
  limitHistory,
  parseAudience,
  parseComputedTrait,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import { referencesByKey } from "./references.ts";

function definitionOf(
  config: AudienceConfig,
  audiences: ReturnType<typeof referencesByKey>,
): ComputationInput["definition"] | undefined {
  const { definition, kind } = config;
  if (kind === "list" || definition === null) return { kind: "list" };
  const given: unknown = JSON.parse(definition);
  const reading = kind === "trait" ? parseComputedTrait(given) : parseAudience(given, { audiences });
  if (!reading.ok) return undefined;
  return reading.definition.kind === "trait"
    ? reading.definition
    : limitHistory(reading.definition, config).definition;
}

/** Since when calls count, of one that was asked not to look back as far as its conditions do. */
export function limitedFromMs(
  config: AudienceConfig,
  configs: readonly AudienceConfig[],
): number | undefined {
  const { backfill, definition, kind } = config;
  if (backfill === null || definition === null || kind !== "audience") return undefined;
  const reading = parseAudience(JSON.parse(definition), { audiences: referencesByKey(configs) });
  return reading.ok ? limitHistory(reading.definition, config).fromMs : undefined;
}

/** It and all audiences that it names, through others too. */
function withReferences(
  config: AudienceConfig,
  configs: readonly AudienceConfig[],
  audiences: ReturnType<typeof referencesByKey>,
): Set<AudienceConfig> {
  const found = new Set([config]);
  for (const one of found) {
    const keys = one.kind === "trait" ? [] : (audiences.get(one.key)?.references ?? []);
    for (const other of configs)
      if (other.deletedAtMs === null && other.kind !== "trait" && keys.includes(other.key)) found.add(other);
  }
  return found;
}

/** Undefined for a definition that cannot be read any more. */
export function compiled(
  config: AudienceConfig,
  configs: readonly AudienceConfig[],
): Computation | undefined {
  const set = compiledSet(withReferences(config, configs, referencesByKey(configs)), configs);
  return set.computations.get(config.id);
}

/** An audience that is asked about and does not exist, with what it names. */
export function compiledAlone(config: AudienceConfig, configs: readonly AudienceConfig[]): ComputationSet {
  const all = [...configs, config];
  return compiledSet(withReferences(config, all, referencesByKey(all)), all);
}

/** By the very record, which the store replaces with each change. */
const knownKeys = new WeakMap<AudienceConfig, readonly string[]>();

/** Keys of the leaves on events that it counts; none of a definition that cannot be read any more. */
export function leafKeysOf(config: AudienceConfig, configs: readonly AudienceConfig[]): readonly string[] {
  const known = knownKeys.get(config);
  if (known !== undefined) return known;
  const keys = [...compiledSet([config], configs).leaves.keys()];
  knownKeys.set(config, keys);
  return keys;
}

/** All of these at once. Definitions that cannot be read any more are left out. */
function compiledSet(chosen: Iterable<AudienceConfig>, configs: readonly AudienceConfig[]): ComputationSet {
  const audiences = referencesByKey(configs);
  const inputs = [...chosen].flatMap((one): ComputationInput[] => {
    const definition = definitionOf(one, audiences);
    const { id, key, generation, includeAnonymous } = one;
    return definition === undefined
      ? []
      : [{ id, key, generation, state: "live", includeAnonymous, definition }];
  });
  return compileSet(inputs);
}
