// Counts in a window, from the newest event times: exact to the millisecond, late and repeated times included.
import type { CountMeasure } from "../definition/definition.ts";
import type { LeafPlan } from "./plan.ts";
import type { TimesState } from "./state.ts";

/** Drops what has left the window for good: time never goes back for a profile. */
function prune(times: number[], leaveMs: number, nowMs: number): void {
  while (times.length > 0 && (times.at(-1) ?? 0) + leaveMs <= nowMs) times.pop();
}

/** Puts the time where it belongs, newest first; the oldest goes when there are more than the leaf needs. */
export function addTime(state: TimesState, atMs: number, plan: LeafPlan, nowMs: number): void {
  const { times } = state;
  prune(times, plan.leaf.window.leaveMs, nowMs);
  if (atMs + plan.leaf.window.leaveMs <= nowMs) return;
  let place = times.length;
  while (place > 0 && (times[place - 1] ?? 0) < atMs) place -= 1;
  if (place >= plan.maxTimes) return;
  times.splice(place, 0, atMs);
  if (times.length > plan.maxTimes) times.pop();
}

export function mergeTimes(into: TimesState, from: TimesState, plan: LeafPlan): void {
  into.times = [...into.times, ...from.times].sort((a, b) => b - a).slice(0, plan.maxTimes);
}

/** How many of the kept times are in the window: newest first, so the first one outside ends it. */
export function countTimes(times: readonly number[], leaveMs: number, nowMs: number): number {
  let count = 0;
  while (count < times.length && (times[count] ?? 0) + leaveMs > nowMs) count += 1;
  return count;
}

/**
 * When the leaf's answer changes by time alone. At least N: when the Nth newest leaves. At most N: when the (N + 1)th newest leaves.
 * Exactly N: whichever of the two is the next.
 */
export function timesUntilMs(
  times: readonly number[],
  measure: CountMeasure,
  plan: LeafPlan,
  count: number,
): number {
  const { op, value } = measure;
  const rank = op === "gte" || (op === "eq" && count === value) ? value : value + 1;
  const deciding = rank > 0 && rank <= count ? times[rank - 1] : undefined;
  return deciding === undefined ? Number.POSITIVE_INFINITY : deciding + plan.leaf.window.leaveMs;
}
