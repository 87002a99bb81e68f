// What is asked of one value: `op` and `value` of a trait leaf, and of each entry of `where`.
import { describeJson, type JsonObject, mustBeOneOf, parseDuration } from "#contract";
import { prepareChoices } from "./choices.ts";
import type { Condition, Scalar, Test } from "./definition.ts";
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

const OPERATORS: Readonly<Record<Test["op"], ReadTest>> = {
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

function isOperator(op: unknown): op is Test["op"] {
  return typeof op === "string" && Object.hasOwn(OPERATORS, op);
}

/** `op` and `value` of the object. */
export function readTest(object: JsonObject, path: string, problems: Problems): Test | undefined {
  const { op, value } = object;
  if (!isOperator(op)) return problems.add(`${path}.op`, mustBeOneOf(op, Object.keys(OPERATORS)));
  const test = OPERATORS[op](value);
  return typeof test === "string" ? problems.add(`${path}.value`, test) : test;
}

/** A dotted path; otherwise a problem. */
export function readPath(value: unknown, path: string, problems: Problems): readonly string[] | undefined {
  return parsePath(value) ?? problems.add(path, "must be a path of keys with dots between: properties.total");
}

/** Begins and ends to hold by the passing of time. */
export function isPassing({ test }: Condition): boolean {
  return test.op === "within_last" || test.op === "within_next";
}

export function readCondition(input: unknown, path: string, problems: Problems): Condition | undefined {
  const object = problems.object(input, path);
  if (object === undefined) return undefined;
  problems.refuseUnknown(object, ["path", "op", "value"], path);
  const parts = readPath(object["path"], `${path}.path`, problems);
  const test = readTest(object, path, problems);
  return parts === undefined || test === undefined ? undefined : { path: parts, test };
}

/** `where`: all of its conditions must hold. Conditions are put in one order, so that leaves that differ in it only share their state. */
export function readWhere(input: unknown, path: string, problems: Problems): readonly Condition[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || input.length > MAX_CONDITIONS) {
    problems.add(path, `must be a list of at most ${MAX_CONDITIONS} conditions`);
    return [];
  }
  const conditions = input.flatMap((one, index) => readCondition(one, `${path}[${index}]`, problems) ?? []);
  return conditions
    .map((condition) => ({ condition, text: JSON.stringify(condition) }))
    .sort((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
    .map(({ condition }) => condition);
}
