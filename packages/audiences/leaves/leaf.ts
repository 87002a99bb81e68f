// One event leaf of one profile: fold a call into its state, evaluate it at a moment, merge two states.
import { type JsonObject, jsonFault, MAX_CALL_DEPTH } from "#contract";
import type { CountMeasure, EventLeaf, MembersMeasure } from "../definition/definition.ts";
import { valueAt } from "../definition/paths.ts";
import { intervalOf, meetsOne } from "./condition.ts";
import {
  activeOccurrences,
  addOccurrence,
  mergeOccurrences,
  occurrenceInterval,
  occurrencesUntilMs,
} from "./occurrences.ts";
import type { LeafPlan } from "./plan.ts";
import { reduceOccurrences, reduceTallies, reduceValues } from "./reduce.ts";
import { addRuns } from "./runs.ts";
import type { Evaluation, LeafState, Pick } from "./state.ts";
import { addToTallies, bucketOf, isOver, mergeTallies, pruneTallies, talliesUntilMs } from "./tallies.ts";
import { addTime, countTimes, mergeTimes, timesUntilMs } from "./times.ts";
import { addValue, countValues, createValues, mergeValues, valuesUntilMs } from "./values.ts";

/** A longer value, as JSON, counts as missing: it would fill the profile. */
const MAX_VALUE_CHARACTERS = 512;
/** One that nests deeper does, too: as a trait it stands on the third level of a call, which could not be sent. */
const MAX_VALUE_DEPTH = MAX_CALL_DEPTH - 2;

/** A call as an event leaf sees it; `atMs` is its event time, never later than `nowMs`. */
export interface FoldedCall {
  readonly atMs: number;
  readonly nowMs: number;
  /** False where the profile has no room for further values of unique. */
  readonly hasRoom?: boolean;
  readonly call: ReadCall;
}

/** Its body may be parsed when it is asked for: a leaf without conditions and paths does not ask. */
export interface ReadCall {
  /** Who has made it. */
  readonly userId: string | null;
  readonly receivedAtMs: number;
  /** The delivered JSON. */
  readonly body: JsonObject;
  /** An object that has this field of the body; without it the body itself is asked for. */
  bodyWith?(field: string): JsonObject;
}

/** Where a path of the call begins. */
export function rootOf(call: ReadCall, path: readonly string[]): JsonObject {
  const [first = ""] = path;
  const some = call.bodyWith?.(first);
  // Where there is no `a`, `a.b` is a key of the body itself.
  return some === undefined || (path.length > 1 && some[first] === undefined) ? call.body : some;
}

export function emptyState({ storage }: LeafPlan): LeafState {
  switch (storage) {
    case "times":
      return { kind: storage, times: [] };
    case "values":
      return createValues();
    case "runs":
      return { kind: storage, runs: [] };
    case "occurrences":
      return { kind: storage, occurrences: [], isOverflowing: false };
    default:
      return { kind: storage, tallies: [] };
  }
}

function isShort(value: unknown): boolean {
  return JSON.stringify(value).length <= MAX_VALUE_CHARACTERS;
}

/** Whether the reducer takes the value: numbers for sums, scalars for unique and most_frequent, anything for first and last. */
function isCounted({ leaf }: LeafPlan, value: unknown): boolean {
  // Members are users: an anonymous id may be anybody's.
  if (leaf.measure.kind === "members") return typeof value === "string";
  if (leaf.measure.kind !== "reduce" || leaf.measure.fn === "count") return true;
  switch (leaf.measure.fn) {
    case "sum":
    case "avg":
    case "min":
    case "max":
      return typeof value === "number";
    case "first":
    case "last":
      return value !== undefined && isShort(value) && jsonFault(value, MAX_VALUE_DEPTH) === undefined;
    default:
      return value !== undefined && typeof value !== "object" && isShort(value);
  }
}

/** What of the call is counted: whose it is, a value, or that it was made. */
function valueIn(call: ReadCall, measure: EventLeaf["measure"]): unknown {
  if (measure.kind === "members") return call.userId ?? undefined;
  const isCount = measure.kind !== "reduce" || measure.fn === "count";
  return isCount ? null : valueAt(rootOf(call, measure.path), measure.path);
}

/** The call as the leaf counts it; undefined when it does not. */
function pickOf(plan: LeafPlan, { atMs, call }: FoldedCall): Pick | undefined {
  const { measure, window } = plan.leaf;
  if (atMs < window.afterMs || atMs >= window.beforeMs) return undefined;
  for (const condition of plan.fixed)
    if (!meetsOne(condition, rootOf(call, condition.path))) return undefined;
  const value = valueIn(call, measure);
  return isCounted(plan, value) ? { atMs, receivedAtMs: call.receivedAtMs, value } : undefined;
}

/** With the values that are compared with traits behind it, where there are such; undefined when one is missing. */
function withCompared({ compared }: LeafPlan, call: ReadCall, value: unknown): unknown {
  if (compared.length === 0) return value;
  const values = compared.map(({ path }) => valueAt(rootOf(call, path), path));
  return values.every((one) => one !== undefined && isShort(one)) ? [value, ...values] : undefined;
}

function addTimed(state: LeafState, pick: Pick, plan: LeafPlan, { call, nowMs }: FoldedCall): void {
  let { fromMs, untilMs } = occurrenceInterval(plan, pick.atMs);
  for (const condition of plan.passing) {
    const interval = intervalOf(condition, rootOf(call, condition.path));
    fromMs = Math.max(fromMs, interval.fromMs);
    untilMs = Math.min(untilMs, interval.untilMs);
  }
  const value = withCompared(plan, call, pick.value);
  if (state.kind === "occurrences" && fromMs < untilMs && value !== undefined)
    addOccurrence(state, { ...pick, value, fromMs, untilMs }, nowMs);
}

/** Changes `state`. False when the leaf does not count the call. */
export function foldIntoLeaf(plan: LeafPlan, state: LeafState, folded: FoldedCall): boolean {
  const { nowMs } = folded;
  const pick = pickOf(plan, folded);
  if (pick === undefined) return false;
  switch (state.kind) {
    case "times":
      addTime(state, pick.atMs, plan, nowMs);
      break;
    case "values":
      addValue(state, pick, plan, folded);
      break;
    case "runs":
      addRuns(state, [{ fromMs: pick.atMs, toMs: pick.atMs }], plan, nowMs);
      break;
    case "occurrences":
      addTimed(state, pick, plan, folded);
      break;
    default:
      pruneTallies(state.tallies, plan, nowMs);
      if (!isOver(bucketOf(pick.atMs, plan), plan, nowMs)) addToTallies(state.tallies, pick, plan);
  }
  return true;
}

/** Moves what `from` holds into `into`, which is the survivor's: one function for merges and for looking back (decision 45). */
export function mergeStates(plan: LeafPlan, into: LeafState, from: LeafState, nowMs: number): void {
  if (into.kind === "times" && from.kind === "times") mergeTimes(into, from, plan);
  else if (into.kind === "values" && from.kind === "values") mergeValues(into, from, plan);
  else if (into.kind === "occurrences" && from.kind === "occurrences") mergeOccurrences(into, from, nowMs);
  else if (into.kind === "runs" && from.kind === "runs") addRuns(into, from.runs, plan, nowMs);
  else if ("tallies" in into && "tallies" in from) mergeTallies(into.tallies, from.tallies, plan);
}

function evaluateReduce(plan: LeafPlan, state: LeafState, nowMs: number): Evaluation {
  const { measure } = plan.leaf;
  const fn = measure.kind === "reduce" ? measure.fn : "count";
  if (state.kind === "occurrences") {
    const value = reduceOccurrences(fn, activeOccurrences(state, nowMs));
    return { value, untilMs: occurrencesUntilMs(state, nowMs), isOverflowing: state.isOverflowing };
  }
  if (state.kind === "values") {
    const value = reduceValues(fn, countValues(state, plan, nowMs));
    return { value, untilMs: valuesUntilMs(state, plan, nowMs), isOverflowing: state.isOverflowing };
  }
  const tallies = "tallies" in state ? state.tallies : [];
  const value = reduceTallies(fn, tallies, plan, nowMs);
  return { value, untilMs: talliesUntilMs(tallies, plan, nowMs), isOverflowing: false };
}

/** The count or the reduced value at `nowMs`, and until when it stays so. `state` is undefined when the profile has none. */
export function evaluateLeaf(plan: LeafPlan, state: LeafState | undefined, nowMs: number): Evaluation {
  const { measure, window } = plan.leaf;
  if (state?.kind !== "times" || measure.kind !== "count")
    return evaluateReduce(plan, state ?? emptyState(plan), nowMs);
  const value = countTimes(state.times, window.leaveMs, nowMs);
  return { value, untilMs: timesUntilMs(state.times, measure, plan, value), isOverflowing: false };
}

/** Whether the count is what the leaf asks for. */
export function isMet({ op, value }: CountMeasure | MembersMeasure, count: number): boolean {
  if (op === "gte") return count >= value;
  return op === "lte" ? count <= value : count === value;
}
