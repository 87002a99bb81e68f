// One audience or computed trait with what it names, compiled.
import {
  type Computation,
  type ComputationInput,
  compileSet,
  parseAudience,
  parseComputedTrait,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import { referencesByKey } from "./references.ts";

function definitionOf(
  { definition, kind }: AudienceConfig,
  audiences: ReturnType<typeof referencesByKey>,
): ComputationInput["definition"] | undefined {
  if (kind === "list" || definition === null) return { kind: "list" };
  const given: unknown = JSON.parse(definition);
  const reading = kind === "trait" ? parseComputedTrait(given) : parseAudience(given, { audiences });
  return reading.ok ? reading.definition : undefined;
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
  const audiences = referencesByKey(configs);
  const inputs = [...withReferences(config, configs, audiences)].flatMap((one): ComputationInput[] => {
    const definition = definitionOf(one, audiences);
    const { id, key, generation, includeAnonymous } = one;
    return definition === undefined
      ? []
      : [{ id, key, generation, state: "live", includeAnonymous, definition }];
  });
  return compileSet(inputs).computations.get(config.id);
}
