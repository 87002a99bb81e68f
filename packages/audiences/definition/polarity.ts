// Which definitions a profile meets of which nothing is known.
import type { Expression, Leaf } from "./definition.ts";

/** Whether the leaf holds for a profile without calls and traits. */
function holdsWhenEmpty(leaf: Leaf): boolean {
  if (leaf.kind === "trait") return leaf.condition.test.op === "not_exists";
  if (leaf.kind === "audience" || leaf.measure.kind === "reduce") return false;
  const { op, value } = leaf.measure;
  return op === "lte" ? value >= 0 : value === 0;
}

/** Whether some leaf asks for something to be there; without one a definition is met by all who did nothing (docs/decisions/0043). */
export function asksForSomething(
  expression: Expression,
  leaves: ReadonlyMap<string, Leaf>,
  isNegated = false,
): boolean {
  if (expression.kind === "not") return asksForSomething(expression.of, leaves, !isNegated);
  if (expression.kind !== "leaf")
    return expression.of.some((one) => asksForSomething(one, leaves, isNegated));
  const leaf = leaves.get(expression.leafKey);
  return leaf !== undefined && holdsWhenEmpty(leaf) === isNegated;
}
