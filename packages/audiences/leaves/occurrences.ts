// Leaves with within_last, within_next or a trait in their `where`: each occurrence is kept with the time for which it counts.
import type { LeafPlan } from "./plan.ts";
import type { OccurrencesState, TimedOccurrence } from "./state.ts";

const MAX_OCCURRENCES = 100;

/** Those that end last first; of those that never do the newest. */
function byEnd(a: TimedOccurrence, b: TimedOccurrence): number {
  return a.untilMs === b.untilMs ? b.atMs - a.atMs : b.untilMs - a.untilMs;
}

/** Drops what is over; of more than the cap those that end first, and the state says so. In the order of event time, then of receipt. */
function trim(state: OccurrencesState, nowMs: number): void {
  state.occurrences = state.occurrences.filter(({ untilMs }) => untilMs > nowMs);
  if (state.occurrences.length <= MAX_OCCURRENCES) return;
  state.isOverflowing = true;
  const ending = state.occurrences.toSorted(byEnd);
  const dropped = new Set(ending.slice(MAX_OCCURRENCES));
  state.occurrences = state.occurrences.filter((occurrence) => !dropped.has(occurrence));
}

function byTime(a: TimedOccurrence, b: TimedOccurrence): number {
  return a.atMs - b.atMs || a.receivedAtMs - b.receivedAtMs;
}

export function addOccurrence(state: OccurrencesState, occurrence: TimedOccurrence, nowMs: number): void {
  state.occurrences.push(occurrence);
  // The sort is stable: of two at the same time the one that came first stays first.
  state.occurrences.sort(byTime);
  trim(state, nowMs);
}

export function mergeOccurrences(into: OccurrencesState, from: OccurrencesState, nowMs: number): void {
  into.isOverflowing ||= from.isOverflowing;
  into.occurrences.push(...from.occurrences);
  into.occurrences.sort(byTime);
  trim(into, nowMs);
}

/** Those that count now, in the order of their event times. */
export function activeOccurrences({ occurrences }: OccurrencesState, nowMs: number): TimedOccurrence[] {
  return occurrences.filter(({ fromMs, untilMs }) => fromMs <= nowMs && nowMs < untilMs);
}

export function occurrencesUntilMs({ occurrences }: OccurrencesState, nowMs: number): number {
  let nextMs = Number.POSITIVE_INFINITY;
  for (const { fromMs, untilMs } of occurrences) {
    if (fromMs > nowMs) nextMs = Math.min(nextMs, fromMs);
    else if (untilMs > nowMs) nextMs = Math.min(nextMs, untilMs);
  }
  return nextMs;
}

/** The occurrence as it counts by the leaf's window and by its conditions on passing time. */
export function occurrenceInterval(plan: LeafPlan, atMs: number): { fromMs: number; untilMs: number } {
  const { enterMs, leaveMs } = plan.leaf.window;
  return { fromMs: atMs + enterMs, untilMs: atMs + leaveMs };
}
