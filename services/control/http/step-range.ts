// A range of time in steps.
import { formatDuration } from "#contract";
import { refused } from "./problem.ts";
import { readRange } from "./time-pages.ts";

export interface StepRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

/** `defaultMs`: the range unless asked otherwise. `maxMs`: the longest. */
export interface StepRule {
  readonly stepMs: number;
  readonly defaultMs: number;
  readonly maxMs: number;
}

interface RangeQuery {
  readonly from?: string;
  readonly to?: string;
}

/** The steps that the range touches. Throws a 422. */
export function readStepRange(
  query: RangeQuery,
  { defaultMs, maxMs, stepMs }: StepRule,
  nowMs: number,
): StepRange {
  const range = readRange(query);
  const to = range.toMs ?? nowMs;
  const fromMs = Math.floor((range.fromMs ?? to - defaultMs) / stepMs) * stepMs;
  const toMs = Math.ceil(to / stepMs) * stepMs;
  if (toMs - fromMs > maxMs + stepMs)
    throw refused([{ path: "from", message: `is more than ${formatDuration(maxMs)} before to` }]);
  return { fromMs, toMs, stepMs };
}
