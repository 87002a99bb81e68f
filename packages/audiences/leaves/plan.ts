// How a leaf is kept: chosen once, when the leaf is compiled.
import { isAgainstTrait, isPassing } from "../definition/conditions.ts";
import type { ComparedCondition, Condition, EventLeaf, Window } from "../definition/definition.ts";
import { lookBackMs } from "../definition/windows.ts";
import type { LeafState } from "./state.ts";

/** Counts up to this one are exact to the millisecond in every window. */
const MAX_EXACT_COUNT = 50;
/** A bucket is a sixtieth of its window (30 d: 12 h). */
const BUCKETS_OF_A_WINDOW = 60;
/** A window far back keeps buckets for all the time until its end: not more than these, even if they are wider then. */
const MAX_BUCKETS = 480;

export interface LeafPlan {
  readonly leaf: EventLeaf;
  readonly storage: LeafState["kind"];
  /** Of times: how many are kept. */
  readonly maxTimes: number;
  /** How long ago a call may be that the leaf asks for; Infinity: however long. */
  readonly lookBackMs: number;
  /** Width of a bucket; Infinity for a lifetime. */
  readonly bucketMs: number;
  /** Of `where`: judged once, when the call comes. */
  readonly fixed: readonly Condition[];
  /** Of `where`: within_last and within_next, which begin and end to hold. */
  readonly passing: readonly Condition[];
  /** Of `where`: against a trait, judged each time that the leaf is. */
  readonly compared: readonly ComparedCondition[];
  /** Type and name of its calls, where a profile's counts by name say all that the leaf asks for: how often in a lifetime, or when last. */
  readonly summaryKey: string | undefined;
}

function bucketWidthMs({ enterMs, leaveMs }: Window): number {
  if (leaveMs === Number.POSITIVE_INFINITY) return leaveMs;
  return Math.ceil(Math.max((leaveMs - enterMs) / BUCKETS_OF_A_WINDOW, leaveMs / MAX_BUCKETS));
}

/** Of a count the newest times that can matter: N for at least N, N + 1 for at most N and exactly N. */
function timesOf({ measure, window }: EventLeaf): number | undefined {
  const isSimple = window.enterMs === 0 && window.leaveMs !== Number.POSITIVE_INFINITY;
  if (measure.kind !== "count" || !isSimple || measure.value > MAX_EXACT_COUNT) return undefined;
  return measure.op === "gte" ? measure.value : measure.value + 1;
}

function talliesOf({ measure }: EventLeaf): LeafState["kind"] {
  if (measure.kind === "count") return "counts";
  if (measure.kind === "runs") return "runs";
  if (measure.kind === "members") return "values";
  switch (measure.fn) {
    case "count":
      return "counts";
    case "sum":
    case "avg":
    case "min":
    case "max":
      return "numbers";
    case "first":
    case "last":
      return "picks";
    default:
      return "values";
  }
}

/** A leaf is never changed. Each partition asks for the plans of all leaves after each change of one definition. */
const known = new WeakMap<EventLeaf, LeafPlan>();

/** The exactness table of docs/use/audiences.md. */
export function planLeaf(leaf: EventLeaf): LeafPlan {
  let plan = known.get(leaf);
  if (plan === undefined) {
    plan = newPlan(leaf);
    known.set(leaf, plan);
  }
  return plan;
}

function newPlan(leaf: EventLeaf): LeafPlan {
  const passing = leaf.where.filter(isPassing);
  const compared = leaf.where.filter(isAgainstTrait);
  const fixed = leaf.where.filter((condition) => !isPassing(condition) && !isAgainstTrait(condition));
  const maxTimes = timesOf(leaf);
  const inBuckets = maxTimes === undefined ? talliesOf(leaf) : "times";
  const storage = passing.length + compared.length > 0 ? "occurrences" : inBuckets;
  const bucketMs = bucketWidthMs(leaf.window);
  const isKnown = isKnownFromSummary(leaf, { storage, maxTimes, bucketMs });
  const summaryKey = isKnown ? `${leaf.type} ${leaf.name}` : undefined;
  return {
    leaf,
    storage,
    maxTimes: maxTimes ?? 0,
    lookBackMs: lookBackMs(leaf),
    bucketMs,
    fixed,
    passing,
    compared,
    summaryKey,
  };
}

function isKnownFromSummary(
  { where, window: { afterMs, beforeMs } }: EventLeaf,
  { bucketMs, maxTimes, storage }: { storage: string; maxTimes: number | undefined; bucketMs: number },
): boolean {
  if (where.length > 0 || Number.isFinite(afterMs) || Number.isFinite(beforeMs)) return false;
  return (
    (storage === "times" && maxTimes === 1) || (storage === "counts" && bucketMs === Number.POSITIVE_INFINITY)
  );
}
