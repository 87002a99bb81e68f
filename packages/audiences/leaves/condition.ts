// Whether a value meets a condition. Nothing is converted: "150" is no number; texts are compared by code units (docs/use/audiences.md, "Operators").
import { isAmong } from "../definition/choices.ts";
import type { Condition, Scalar, Test } from "../definition/definition.ts";
import { valueAt } from "../definition/paths.ts";
import { parseRfc3339 } from "../definition/times.ts";
import { Contents } from "./contents.ts";
import { inLowerCase } from "./lower-case.ts";

type FixedTest = Exclude<Test, { op: "within_last" | "within_next" }>;
type PassingTest = Extract<Test, { op: "within_last" | "within_next" }>;

/** From when until when something holds; `untilMs` is the first moment at which it does not. */
export interface Interval {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of the calls and profiles that are judged now: many conditions ask for the same texts. */
const contents = new Contents();

const ALWAYS: Interval = { fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
const NEVER: Interval = { fromMs: Number.POSITIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

function isOrdered(op: "lt" | "lte" | "gt" | "gte", value: unknown, limit: number | string): boolean {
  if (typeof value !== typeof limit) return false;
  const given = value as number | string;
  if (op === "lt") return given < limit;
  if (op === "lte") return given <= limit;
  return op === "gt" ? given > limit : given >= limit;
}

function contains(value: unknown, part: Scalar): boolean {
  if (Array.isArray(value)) return contents.listHas(value, part);
  return typeof value === "string" && typeof part === "string" && contents.textHas(value, part);
}

function isBeside(op: "before" | "after", value: unknown, dateMs: number): boolean {
  const givenMs = parseRfc3339(value);
  if (givenMs === undefined) return false;
  return op === "before" ? givenMs < dateMs : givenMs >= dateMs;
}

/** `value` is undefined when it is missing or null; then only not_exists holds. */
function meets(test: FixedTest, value: unknown): boolean {
  if (value === undefined) return test.op === "not_exists";
  switch (test.op) {
    case "exists":
    case "not_exists":
      return test.op === "exists";
    case "eq":
      return value === test.value;
    case "neq":
      return value !== test.value;
    case "in":
      return isAmong(test.value, value);
    case "contains":
      return contains(value, test.value);
    case "not_contains":
      return !contains(value, test.value);
    // Not resolved: it would be asked without the traits.
    case "against_trait":
      return false;
    case "ignoring_case":
      return meets(test.of, inLowerCase(value));
    case "starts_with":
      return typeof value === "string" && value.startsWith(test.value);
    case "ends_with":
      return typeof value === "string" && value.endsWith(test.value);
    case "before":
    case "after":
      return isBeside(test.op, value, test.dateMs);
    case "lt":
    case "lte":
    case "gt":
    case "gte":
      return isOrdered(test.op, value, test.value);
  }
}

/** When a date lies within the last or the next so long: d ≤ now < d + w, or d - w ≤ now < d. */
function passingInterval({ op, durationMs }: PassingTest, value: unknown): Interval {
  const dateMs = parseRfc3339(value);
  if (dateMs === undefined) return NEVER;
  return op === "within_last"
    ? { fromMs: dateMs, untilMs: dateMs + durationMs }
    : { fromMs: dateMs - durationMs, untilMs: dateMs };
}

/** When the condition holds of this root, which may be always or never. */
export function intervalOf({ path, test }: Condition, root: unknown): Interval {
  const value = valueAt(root, path);
  if ("durationMs" in test) return passingInterval(test, value);
  return meets(test, value) ? ALWAYS : NEVER;
}

/** Whether all of these conditions, none of which is within_last or within_next, hold of this root. */
export function meetsAll(conditions: readonly Condition[], root: unknown): boolean {
  for (const condition of conditions) if (!meetsOne(condition, root)) return false;
  return true;
}

/** Whether the condition, which is not within_last or within_next, holds of this root. */
export function meetsOne(condition: Condition, root: unknown): boolean {
  return intervalOf(condition, root) === ALWAYS;
}
