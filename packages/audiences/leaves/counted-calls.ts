// The calls that a leaf's value is made of at one moment.
import { activeOccurrences } from "./occurrences.ts";
import type { LeafPlan } from "./plan.ts";
import type { LeafState, Tally } from "./state.ts";
import { counts } from "./tallies.ts";

interface CountedCalls {
  readonly calls?: number;
  readonly firstMs?: number;
  readonly lastMs?: number;
}

/** What the state says of them: of kept values only when the last one came, as a value counts once. */
export function callsIn(state: LeafState | undefined, plan: LeafPlan, nowMs: number): CountedCalls {
  if (state === undefined) return { calls: 0 };
  if (state.kind === "values") {
    const { lastMs } = together([...state.values.values()].flat(), plan, nowMs);
    return lastMs === undefined ? {} : { lastMs };
  }
  if ("tallies" in state) return together(state.tallies, plan, nowMs);
  if (state.kind !== "occurrences") return {};
  const timesMs = activeOccurrences(state, nowMs).map(({ atMs }) => atMs);
  return { calls: timesMs.length, ...spanOf(timesMs, timesMs) };
}

function together(tallies: readonly Tally[], plan: LeafPlan, nowMs: number): CountedCalls {
  const counted = tallies.filter((tally) => counts(tally, plan, nowMs));
  const calls = counted.reduce((sum, { n }) => sum + n, 0);
  const firstsMs = counted.map(({ firstMs }) => firstMs);
  const lastsMs = counted.map(({ lastMs }) => lastMs);
  return { calls, ...spanOf(firstsMs, lastsMs) };
}

function spanOf(firstsMs: readonly number[], lastsMs: readonly number[]): Omit<CountedCalls, "calls"> {
  if (firstsMs.length === 0) return {};
  return { firstMs: Math.min(...firstsMs), lastMs: Math.max(...lastsMs) };
}
