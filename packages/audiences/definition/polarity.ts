// Which definitions a profile meets of which nothing is known.
import type { EventLeaf, Expression, Leaf } from "./definition.ts";

/** Whether the count is met when nothing has happened. */
export function isMetByZero({ measure }: EventLeaf): boolean {
  if (measure.kind === "reduce") return false;
  return measure.op === "lte" ? measure.value >= 0 : measure.value === 0;
}

/** Whether the leaf holds for a profile without calls and traits. */
function holdsWhenEmpty(leaf: Leaf): boolean {
  if (leaf.kind === "trait") return leaf.condition.test.op === "not_exists";
  return leaf.kind === "event" && isMetByZero(leaf);
}

/** Whether some leaf asks for something to be there; without one a definition is met by all who did nothing (decision 45). */
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
