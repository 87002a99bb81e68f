// Calls as runs: what came with less than a break between is one. A run's beginning is a call after a break when there is a run before it.
// Runs follow from the calls alone, in whatever order these come: a late one between two may join them.
import type { LeafPlan } from "./plan.ts";
import type { Run, RunsState } from "./state.ts";

const MAX_RUNS = 50;

/** Sorted runs, of which those with less than a break between are joined. */
function joined(runs: readonly Run[], breakMs: number): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last === undefined || run.fromMs - last.toMs >= breakMs) result.push(run);
    else result[result.length - 1] = { fromMs: last.fromMs, toMs: Math.max(last.toMs, run.toMs) };
  }
  return result;
}

/** Without those that can neither count nor be the one before: a beginning only moves back. */
function pruned(runs: readonly Run[], { leaf }: LeafPlan, nowMs: number): readonly Run[] {
  let before = 0;
  while (before + 1 < runs.length && (runs[before + 1]?.fromMs ?? 0) + leaf.window.leaveMs <= nowMs)
    before += 1;
  return runs.slice(Math.max(before, runs.length - MAX_RUNS));
}

/** Adds runs of any order: those of another profile, or one call. */
export function addRuns(state: RunsState, runs: readonly Run[], plan: LeafPlan, nowMs: number): void {
  const { measure } = plan.leaf;
  if (measure.kind !== "runs") return;
  const all = [...state.runs, ...runs].sort((a, b) => a.fromMs - b.fromMs);
  state.runs = pruned(joined(all, measure.breakMs), plan, nowMs);
}

/** When the newest run began that has one before it; undefined for none. */
export function beganAgainMs({ runs }: RunsState): number | undefined {
  return runs.length > 1 ? runs.at(-1)?.fromMs : undefined;
}
