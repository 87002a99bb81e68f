// One audience or computed trait with what it names, compiled.
import {
  type ComputationInput,
  type ComputationSet,
  compileSet,
  limitHistory,
  parseAudience,
  parseComputedTrait,
  prepareDefinition,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import type { Pause } from "../../records/profiles/slices.ts";
import { namedBy, referencesByKey } from "./references.ts";

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

/** After something of accounts is made first, until every audience processor knows that calls count for accounts. */
const ACCOUNTS_KNOWN_AFTER_MS = 1_000;

/** Since when accounts are known, of a definition of accounts that asks for what was before, at `nowMs`. */
export function accountsFromMs(
  config: AudienceConfig,
  configs: readonly AudienceConfig[],
  nowMs: number,
): number | undefined {
  if (namedBy(config).of === "users") return undefined;
  const made = configs.filter((one) => namedBy(one).of === "accounts").map(({ createdAtMs }) => createdAtMs);
  const fromMs = Math.min(config.createdAtMs, ...made) + ACCOUNTS_KNOWN_AFTER_MS;
  const definition = definitionOf(config, referencesByKey(configs));
  const asksFromMs = definition === undefined ? nowMs : asksFrom(definition, nowMs);
  return asksFromMs < fromMs ? fromMs : undefined;
}

function asksFrom(definition: ComputationInput["definition"], nowMs: number): number {
  const set = compileSet([
    { id: "", key: "", generation: 1, state: "live", includeAnonymous: false, definition },
  ]);
  if (set.traits.size > 0) return Number.NEGATIVE_INFINITY;
  const starts = Array.from(set.leaves.values(), ({ plan }) =>
    Math.max(plan.leaf.window.afterMs, nowMs - plan.lookBackMs),
  );
  return Math.min(nowMs, ...starts);
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

/**
 * It and all audiences and computed traits that it names, through others too. Of users' audiences that `members` names the account only learns
 * who is in them: they are left out.
 */
function withReferences(config: AudienceConfig, configs: readonly AudienceConfig[]): Set<AudienceConfig> {
  const nameable = configs.filter(({ deletedAtMs }) => deletedAtMs === null);
  const byKey = new Map(nameable.map((one) => [one.key, one]));
  const found = new Set([config]);
  for (const one of found)
    for (const key of namedBy(one).references) {
      const other = byKey.get(key);
      if (other !== undefined && namedBy(other).of === namedBy(one).of) found.add(other);
    }
  return found;
}

/** An audience with what it names, in slices: that may be all audiences, of half a megabyte each. */
export async function compiledWithReferences(
  config: AudienceConfig,
  configs: readonly AudienceConfig[],
  pause: Pause,
): Promise<ComputationSet> {
  await pause();
  const audiences = referencesByKey(configs);
  const inputs: ComputationInput[] = [];
  for (const one of withReferences(config, configs)) {
    inputs.push(...inputOf(one, audiences));
    await pause();
  }
  return compileSet(inputs);
}

/** By the very record, which the store replaces with each change. */
const knownKeys = new WeakMap<AudienceConfig, readonly string[]>();

/** Keys of the leaves on events that it counts; none of a definition that cannot be read any more. */
export function leafKeysOf(config: AudienceConfig, configs: readonly AudienceConfig[]): readonly string[] {
  const known = knownKeys.get(config);
  if (known !== undefined) return known;
  const keys = [...compileSet(inputOf(config, referencesByKey(configs))).leaves.keys()];
  knownKeys.set(config, keys);
  return keys;
}

/** None for a definition that cannot be read any more. */
function inputOf(config: AudienceConfig, audiences: ReturnType<typeof referencesByKey>): ComputationInput[] {
  const definition = definitionOf(config, audiences);
  if (definition === undefined) return [];
  if (definition.kind !== "list") prepareDefinition(definition);
  const { id, key, generation, includeAnonymous } = config;
  return [{ id, key, generation, state: "live", includeAnonymous, definition }];
}
