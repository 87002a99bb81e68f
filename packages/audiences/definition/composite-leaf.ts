// Conditions on calls that ask for more than how many there are.
import { type JsonObject, mustBeOneOf } from "#contract";
import { type Operator, readTest, TEST_FIELDS } from "./conditions.ts";
import type { Leaf, ReduceFn, Test } from "./definition.ts";
import { FIELDS, keyed, type Place, readEventLeaf, readOccurrences, readReduce } from "./event-leaf.ts";
import { readAfterBreakLeaf, readFirstLeaf, readStoppedLeaf } from "./history-leaf.ts";
import type { Problems } from "./problems.ts";
import { readFollowedLeaf, readNotFollowedLeaf } from "./sequence-leaf.ts";

/** Ops on a number that there always is, and what may be asked of one that may be missing. */
const ON_NUMBERS: readonly Operator[] = ["eq", "neq", "lt", "lte", "gt", "gte", "in"];
const ON_PRESENCE: readonly Operator[] = ["exists", "not_exists"];

function opsOn(fn: ReduceFn): readonly Operator[] | undefined {
  if (fn === "unique_count") return ON_NUMBERS;
  const isNumber = fn === "sum" || fn === "avg" || fn === "min" || fn === "max";
  return isNumber ? [...ON_NUMBERS, ...ON_PRESENCE] : undefined;
}

/** A problem for what never holds of a number. */
function checkNumber(ops: readonly Operator[], test: Test, path: string, problems: Problems): void {
  if (test.op === "ignoring_case") problems.add(`${path}.ignoreCase`, "must be left out beside this fn");
  else if (!ops.includes(test.op === "against_trait" ? test.of : test.op))
    problems.add(`${path}.op`, mustBeOneOf(test.op === "against_trait" ? test.of : test.op, ops));
  else if ("value" in test && ![test.value].flat().every((one) => typeof one === "number"))
    problems.add(`${path}.value`, "must be a number, or of in a list of numbers: this fn gives one");
}

/** What never is a value that one compares. */
const NOT_COMPARED: Partial<Record<ReduceFn, string>> = {
  count: 'has a field of its own: write "count": {"op": …, "value": …} instead of reduce, op and value',
  unique: "is a list: use unique_count, or a condition in where on the value that is looked for",
};

/** What the calls come to, compared. */
function readValueLeaf(object: JsonObject, place: Place, problems: Problems): Leaf | undefined {
  const { path } = place;
  problems.refuseUnknown(object, [place.nameField, ...FIELDS, "reduce", ...TEST_FIELDS], path);
  const occurrences = readOccurrences(object, place, problems);
  const measure = readReduce(object["reduce"], `${path}.reduce`, problems);
  const problem = measure && NOT_COMPARED[measure.fn];
  if (problem !== undefined) return problems.add(`${path}.reduce.fn`, problem);
  const test = readTest(object, path, problems);
  if (measure === undefined || test === undefined) return undefined;
  const ops = opsOn(measure.fn);
  if (ops !== undefined) checkNumber(ops, test, path, problems);
  return keyed({
    kind: "composite",
    parts: [keyed({ ...occurrences, measure })],
    ask: { kind: "value", test },
  } as const);
}

/** What may stand in the place of `count`. */
const FORMS = {
  reduce: readValueLeaf,
  first: readFirstLeaf,
  afterBreak: readAfterBreakLeaf,
  stopped: readStoppedLeaf,
  followedBy: readFollowedLeaf,
  notFollowedBy: readNotFollowedLeaf,
} as const;

const FORM_FIELDS = Object.keys(FORMS) as (keyof typeof FORMS)[];

/** A leaf of an audience on calls of one name. */
export function readCallsLeaf(object: JsonObject, place: Place, problems: Problems): Leaf | undefined {
  const [form, second] = FORM_FIELDS.filter((field) => Object.hasOwn(object, field));
  if (form === undefined) return readEventLeaf(object, place, problems);
  const beside = Object.hasOwn(object, "count") ? "count" : second;
  if (beside !== undefined)
    return problems.add(`${place.path}.${beside}`, `cannot stand beside ${form}; put both into an all`);
  return FORMS[form](object, place, problems);
}
