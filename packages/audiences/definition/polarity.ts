// Which definitions a profile meets of which nothing is known.
import type {
  Ask,
  CountMeasure,
  EventLeaf,
  Expression,
  Leaf,
  MemberExpression,
  ReduceFn,
  Test,
} from "./definition.ts";
import type { AudienceReferences } from "./references.ts";

function holdsOfZero({ op, value }: Pick<CountMeasure, "op" | "value">): boolean {
  return op === "lte" ? value >= 0 : value === 0;
}

/** Whether the count is met when nothing has happened. */
export function isMetByZero({ measure }: EventLeaf): boolean {
  return (measure.kind === "count" || measure.kind === "members") && holdsOfZero(measure);
}

/** Whether a member meets the expression who meets these parts. */
export function isMetByMember(one: MemberExpression, meets: (part: number) => boolean): boolean {
  if (one.kind === "part") return meets(one.part);
  if (one.kind === "not") return !isMetByMember(one.of, meets);
  const isMet = (of: MemberExpression): boolean => isMetByMember(of, meets);
  return one.kind === "all" ? one.of.every(isMet) : one.of.some(isMet);
}

function isOrderedFromZero(op: "lt" | "lte" | "gt" | "gte", value: number | string): boolean {
  if (typeof value !== "number") return false;
  if (op === "lt") return 0 < value;
  if (op === "lte") return 0 <= value;
  return op === "gt" ? 0 > value : 0 >= value;
}

/** Whether it holds of 0, or of an empty list: all that a reducer gives of nothing, but for null. */
function isMetByEmpty(test: Test, empty: 0 | "list"): boolean {
  switch (test.op) {
    case "ignoring_case":
      return isMetByEmpty(test.of, empty);
    case "eq":
      return test.value === 0 && empty === 0;
    case "neq":
      return test.value !== 0 || empty !== 0;
    case "in":
      return empty === 0 && test.value.includes(0);
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return empty === 0 && isOrderedFromZero(test.op, test.value);
    default:
      return test.op === "exists" || test.op === "not_contains";
  }
}

/** Whether it holds of what the reducer gives when none of its calls has happened. */
export function isMetByNone(test: Test, fn: ReduceFn): boolean {
  if (fn === "unique") return isMetByEmpty(test, "list");
  const isNumber = fn === "count" || fn === "unique_count";
  return isNumber ? isMetByEmpty(test, 0) : test.op === "not_exists";
}

/** As `isMetByNone`, of what a composite leaf asks. */
export function isAskMetByNothing(ask: Ask, [part]: readonly EventLeaf[]): boolean {
  if (ask.kind === "members") return holdsOfZero(ask.count);
  return ask.kind === "value" && part?.measure.kind === "reduce" && isMetByNone(ask.test, part.measure.fn);
}

interface Asked {
  readonly leaves: ReadonlyMap<string, Leaf>;
  readonly audiences: AudienceReferences;
}

/** Whether the leaf holds for a profile without calls and traits. */
function holdsWhenEmpty(leaf: Leaf, { audiences }: Asked): boolean {
  if (leaf.kind === "trait") return leaf.condition.test.op === "not_exists";
  if (leaf.kind === "composite") return isAskMetByNothing(leaf.ask, leaf.parts);
  if (leaf.kind === "computed") return isMetByNone(leaf.test, audiences.get(leaf.traitKey)?.fn ?? "sum");
  return leaf.kind === "event" && isMetByZero(leaf);
}

/** Whether some leaf asks for something to be there; without one a definition is met by all who did nothing (decision 45). */
export function asksForSomething(expression: Expression, asked: Asked, isNegated = false): boolean {
  if (expression.kind === "not") return asksForSomething(expression.of, asked, !isNegated);
  if (expression.kind !== "leaf") return expression.of.some((one) => asksForSomething(one, asked, isNegated));
  const leaf = asked.leaves.get(expression.leafKey);
  return leaf !== undefined && holdsWhenEmpty(leaf, asked) === isNegated;
}
