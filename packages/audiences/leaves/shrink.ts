// What a leaf's state can do without when its profile has no room: what is over, narrow buckets, and values beyond what fits.
import type { LeafPlan } from "./plan.ts";
import { addRuns } from "./runs.ts";
import type { LeafState, Tally, ValuesState } from "./state.ts";
import { joinTallies, pruneTallies } from "./tallies.ts";
import { countAll, pruneValues } from "./values.ts";

/** Buckets are joined up to this part of their window. */
const WIDEST_BUCKETS = 8;

/** How wide joined buckets may be: first narrow ones, then as wide as the rules allow. */
export const JOINING_STEPS = [4 * WIDEST_BUCKETS, 2 * WIDEST_BUCKETS, WIDEST_BUCKETS] as const;

/** Drops what is over by then. */
export function pruneLeaf(state: LeafState, plan: LeafPlan, nowMs: number): void {
  const { leaveMs } = plan.leaf.window;
  if (state.kind === "times") state.times = state.times.filter((atMs) => atMs + leaveMs > nowMs);
  else if (state.kind === "values") pruneValues(state, plan, nowMs);
  else if (state.kind === "occurrences")
    state.occurrences = state.occurrences.filter(({ untilMs }) => untilMs > nowMs);
  else if (state.kind === "runs") addRuns(state, [], plan, nowMs);
  else pruneTallies(state.tallies, plan, nowMs);
}

/**
 * Joins neighbouring buckets that together are no wider than the window divided by `parts`. True when there were some: then the leaf may count
 * another number, as a bucket counts as a whole.
 */
export function joinBuckets(state: LeafState, plan: LeafPlan, parts: number): boolean {
  const { enterMs, leaveMs } = plan.leaf.window;
  if (leaveMs === Number.POSITIVE_INFINITY) return false;
  const widthMs = (leaveMs - enterMs) / parts;
  if (state.kind === "times" || state.kind === "occurrences" || state.kind === "runs") return false;
  if (state.kind !== "values") return joinTallies(state.tallies, plan, widthMs);
  let isJoined = false;
  const joined = (tallies: Tally[]): boolean => joinTallies(tallies, plan, widthMs);
  for (const tallies of state.values.values()) isJoined = joined(tallies) || isJoined;
  if (isJoined) countAll(state);
  return isJoined;
}

/** Leaves out the values that came last until so many bytes are gone, and the state says so. True when there were some. */
export function cutValues(state: ValuesState, bytes: number, bytesOf: (state: LeafState) => number): boolean {
  const before = bytesOf(state);
  const texts = [...state.values.keys()];
  while (texts.length > 0 && before - bytesOf(state) < bytes) {
    const text = texts.pop() ?? "";
    const tallies = state.values.get(text) ?? [];
    state.values.delete(text);
    state.tallyCount -= tallies.length;
    state.textBytes -= Buffer.byteLength(text);
    state.isOverflowing = true;
  }
  return bytesOf(state) < before;
}
