// The same definition with other leaves on events: so an audience says that it looks back less far, or that it is of accounts.
import type { AudienceDefinition, EventLeaf, Expression, Leaf } from "./definition.ts";
import { keyed } from "./event-leaf.ts";

function changed(leaf: Leaf, change: (leaf: EventLeaf) => EventLeaf): Leaf {
  if (leaf.kind === "event") return change(leaf);
  if (leaf.kind !== "composite") return leaf;
  const { key: _, ...rest } = leaf;
  return keyed({ ...rest, parts: leaf.parts.map(change) });
}

function renamed(expression: Expression, keys: ReadonlyMap<string, string>): Expression {
  if (expression.kind === "leaf")
    return { ...expression, leafKey: keys.get(expression.leafKey) ?? expression.leafKey };
  if (expression.kind === "not") return { kind: "not", of: renamed(expression.of, keys) };
  return { kind: expression.kind, of: expression.of.map((one) => renamed(one, keys)) };
}

/** `isChanged` tells whether any leaf is another one than before. */
export function withEventLeaves(
  definition: AudienceDefinition,
  change: (leaf: EventLeaf) => EventLeaf,
): { readonly definition: AudienceDefinition; readonly isChanged: boolean } {
  const keys = new Map<string, string>();
  const leaves = new Map<string, Leaf>();
  for (const [key, leaf] of definition.leaves) {
    const after = changed(leaf, change);
    keys.set(key, after.key);
    leaves.set(after.key, after);
  }
  const isChanged = [...keys].some(([before, after]) => before !== after);
  const expression = renamed(definition.expression, keys);
  return { definition: { ...definition, leaves, expression }, isChanged };
}
