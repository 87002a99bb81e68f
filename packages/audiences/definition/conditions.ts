// What is asked of one value: `op` and `value` of a trait leaf, and of each entry of `where`.
import { describeJson, isJsonObject, type JsonObject, mustBeOneOf, parseDuration } from "#contract";
import { prepareChoices } from "./choices.ts";
import {
  type ComparedCondition,
  type Condition,
  type Scalar,
  type Test,
  type TextTest,
  TRAIT_OPS,
  type TraitOp,
  type TraitTest,
} from "./definition.ts";
import { MAX_CHOICES, MAX_CONDITIONS, MAX_TEXT_CHARACTERS, MAX_WINDOW_MS, MIN_WINDOW_MS } from "./limits.ts";
import { parsePath } from "./paths.ts";
import type { Problems } from "./problems.ts";
import { parseRfc3339 } from "./times.ts";

/** The test, or what is wrong with the value. */
type ReadTest = (value: unknown) => Test | string;

function isScalar(value: unknown): value is Scalar {
  if (typeof value === "string") return value.length <= MAX_TEXT_CHARACTERS;
  return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

const SCALAR = `must be a text of at most ${MAX_TEXT_CHARACTERS} characters, a number, true or false`;

const equality =
  (op: "eq" | "neq"): ReadTest =>
  (value) =>
    isScalar(value) ? { op, value } : `${SCALAR}, is ${describeJson(value)}`;

const containment =
  (op: "contains" | "not_contains"): ReadTest =>
  (value) =>
    isScalar(value) && value !== "" ? { op, value } : `${SCALAR}, is ${describeJson(value)}`;

const order =
  (op: "lt" | "lte" | "gt" | "gte"): ReadTest =>
  (value) =>
    isScalar(value) && typeof value !== "boolean"
      ? { op, value }
      : `must be a number, or a text to compare texts with, is ${describeJson(value)}`;

const affix =
  (op: "starts_with" | "ends_with"): ReadTest =>
  (value) =>
    typeof value === "string" && value !== "" && isScalar(value)
      ? { op, value }
      : `must be a text of 1 to ${MAX_TEXT_CHARACTERS} characters, is ${describeJson(value)}`;

const presence =
  (op: "exists" | "not_exists"): ReadTest =>
  (value) =>
    value === undefined ? { op } : `must be left out: ${op} takes none`;

const date =
  (op: "before" | "after"): ReadTest =>
  (value) => {
    const dateMs = parseRfc3339(value);
    return dateMs === undefined ? "must be a date as RFC 3339 has it: 2026-01-31T00:00:00Z" : { op, dateMs };
  };

const passing =
  (op: "within_last" | "within_next"): ReadTest =>
  (value) => {
    const durationMs = parseDuration(value);
    const isAllowed = durationMs !== undefined && durationMs >= MIN_WINDOW_MS && durationMs <= MAX_WINDOW_MS;
    return isAllowed ? { op, durationMs } : "must be a duration from 60s to 400d, like 30d, 12h, 5m or 90s";
  };

const choice: ReadTest = (value) => {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MAX_CHOICES;
  if (!isList || !value.every(isScalar))
    return `must be a list of 1 to ${MAX_CHOICES} texts, numbers or booleans`;
  prepareChoices(value);
  return { op: "in", value };
};

/** Operators as a definition names them. */
export type Operator = Exclude<Test["op"], "ignoring_case" | "against_trait">;

const OPERATORS: Readonly<Record<Operator, ReadTest>> = {
  eq: equality("eq"),
  neq: equality("neq"),
  lt: order("lt"),
  lte: order("lte"),
  gt: order("gt"),
  gte: order("gte"),
  in: choice,
  contains: containment("contains"),
  not_contains: containment("not_contains"),
  starts_with: affix("starts_with"),
  ends_with: affix("ends_with"),
  exists: presence("exists"),
  not_exists: presence("not_exists"),
  before: date("before"),
  after: date("after"),
  within_last: passing("within_last"),
  within_next: passing("within_next"),
};

function isOperator(op: unknown): op is Operator {
  return typeof op === "string" && Object.hasOwn(OPERATORS, op);
}

/** What `op`, `value` and `ignoreCase` of the object say; fields that they are read from. */
export const TEST_FIELDS = ["op", "value", "ignoreCase"];

const TEXT_OPS: readonly string[] = [
  "eq",
  "neq",
  "in",
  "contains",
  "not_contains",
  "starts_with",
  "ends_with",
] satisfies TextTest["op"][];

function isTextTest(test: Test): test is TextTest {
  return TEXT_OPS.includes(test.op);
}

/** By Unicode alone, wherever the process runs. Final sigmas are written as others: a part of a text may end where the text does not. */
export function lowerCase(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

function lowerCaseOf(test: TextTest): TextTest | undefined {
  if (test.op === "in") {
    const value = test.value.flatMap((one) => (typeof one === "string" ? lowerCase(one) : []));
    prepareChoices(value);
    return value.length === test.value.length ? { op: test.op, value } : undefined;
  }
  return typeof test.value === "string" ? { ...test, value: lowerCase(test.value) } : undefined;
}

function readIgnoringCase(test: Test, path: string, problems: Problems): Test | undefined {
  if (!isTextTest(test))
    return problems.add(`${path}.ignoreCase`, `must be left out: it stands beside ${TEXT_OPS.join(", ")}`);
  const of = lowerCaseOf(test);
  if (of === undefined) return problems.add(`${path}.value`, "must be texts alone beside ignoreCase");
  return { op: "ignoring_case", of };
}

function isTraitOp(op: Operator): op is TraitOp {
  return TRAIT_OPS.some((one) => one === op);
}

function readAgainstTrait(
  {
    ignoreCase,
    op,
    value,
  }: { readonly op: Operator; readonly value: JsonObject; readonly ignoreCase: boolean },
  path: string,
  problems: Problems,
): Test | undefined {
  problems.refuseUnknown(value, ["trait"], `${path}.value`);
  const trait = readPath(value["trait"], `${path}.value.trait`, problems);
  if (!isTraitOp(op)) return problems.add(`${path}.op`, `${mustBeOneOf(op, TRAIT_OPS)} beside a trait`);
  if (ignoreCase && !TEXT_OPS.includes(op))
    return problems.add(`${path}.ignoreCase`, `must be left out: it stands beside ${TEXT_OPS.join(", ")}`);
  return trait && { op: "against_trait", of: op, trait, ignoreCase };
}

/** Holds of nothing. */
const NOTHING: Test = { op: "in", value: [] };

/** The test against the value that its trait has. */
export function resolve({ ignoreCase, of }: TraitTest, value: unknown): Test {
  const test = OPERATORS[of](value);
  if (typeof test === "string") return NOTHING;
  const lower = ignoreCase && isTextTest(test) ? lowerCaseOf(test) : undefined;
  return lower === undefined ? test : { op: "ignoring_case", of: lower };
}

/** Of an object whose other fields have been looked at. */
export function readTest(object: JsonObject, path: string, problems: Problems): Test | undefined {
  const { ignoreCase = false, op, value } = object;
  if (!isOperator(op)) return problems.add(`${path}.op`, mustBeOneOf(op, Object.keys(OPERATORS)));
  if (typeof ignoreCase !== "boolean")
    return problems.add(`${path}.ignoreCase`, `must be true or left out, is ${describeJson(ignoreCase)}`);
  if (isJsonObject(value) && Object.hasOwn(value, "trait"))
    return readAgainstTrait({ op, value, ignoreCase }, path, problems);
  const test = OPERATORS[op](value);
  if (typeof test === "string") return problems.add(`${path}.value`, test);
  return ignoreCase ? readIgnoringCase(test, path, problems) : test;
}

/** A dotted path; otherwise a problem. */
export function readPath(value: unknown, path: string, problems: Problems): readonly string[] | undefined {
  return parsePath(value) ?? problems.add(path, "must be a path of keys with dots between: properties.total");
}

/** Whether it holds is another question each time: against a trait, which may change. */
export function isAgainstTrait(condition: Condition): condition is ComparedCondition {
  return condition.test.op === "against_trait";
}

/** Begins and ends to hold by the passing of time. */
export function isPassing({ test }: Condition): boolean {
  return test.op === "within_last" || test.op === "within_next";
}

export function readCondition(input: unknown, path: string, problems: Problems): Condition | undefined {
  const object = problems.object(input, path);
  if (object === undefined) return undefined;
  problems.refuseUnknown(object, ["path", ...TEST_FIELDS], path);
  const parts = readPath(object["path"], `${path}.path`, problems);
  const test = readTest(object, path, problems);
  return parts === undefined || test === undefined ? undefined : { path: parts, test };
}

/** `where`: all of its conditions must hold. */
export function readWhere(input: unknown, path: string, problems: Problems): readonly Condition[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || input.length > MAX_CONDITIONS) {
    problems.add(path, `must be a list of at most ${MAX_CONDITIONS} conditions`);
    return [];
  }
  return input.flatMap((one, index) => readCondition(one, `${path}[${index}]`, problems) ?? []);
}

/** Conditions in one order, so that leaves that differ in it only share their state. */
export function inOneOrder(conditions: readonly Condition[]): readonly Condition[] {
  return conditions
    .map((condition) => ({ condition, text: JSON.stringify(condition) }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ condition }) => condition);
}
