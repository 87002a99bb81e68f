// The range and the step of statistics.
import { Type } from "typebox";
import { formatDuration, UNITS_MS } from "#contract";
import { KEPT_MS } from "#topics";
import { refused } from "../../http/problem.ts";
import { RANGE_FIELDS, readRange } from "../../http/time-pages.ts";

const { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } = UNITS_MS;

const STEPS = ["minute", "hour", "day"] as const;
type Step = (typeof STEPS)[number];

/** `defaultMs`: the range unless asked otherwise. `maxMs`: the longest; no more is kept, and a chart has no room for more minutes. */
const STEP_RULES: Readonly<Record<Step, { stepMs: number; defaultMs: number; maxMs: number }>> = {
  minute: { stepMs: MINUTE_MS, defaultMs: HOUR_MS, maxMs: 2 * DAY_MS },
  hour: { stepMs: HOUR_MS, defaultMs: DAY_MS, maxMs: KEPT_MS.routedCalls },
  day: { stepMs: DAY_MS, defaultMs: KEPT_MS.routedCalls, maxMs: KEPT_MS.routedCalls },
};

const StepField = Type.Optional(
  Type.Unsafe<Step>({
    type: "string",
    enum: [...STEPS],
    default: "minute",
    description: "What one entry counts; days are those of UTC.",
  }),
);

const longest = (step: Step): string => formatDuration(STEP_RULES[step].maxMs);

/** For descriptions of routes. */
export const STEP_TEXT = `Minutes of at most ${longest("minute")}, the last hour unless asked otherwise; hours of ${longest("hour")}, the last day; days of ${longest("day")}.`;

export interface StepRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepMs: number;
}

interface RangeQuery {
  readonly from?: string;
  readonly to?: string;
  readonly step?: Step;
}

/** The steps that the range touches. Throws a 422; `maxMs` is the longest range instead of the step's. */
export function readSteps(query: RangeQuery, nowMs: number, maxMs?: number): StepRange {
  const { defaultMs, stepMs, ...rule } = STEP_RULES[query.step ?? "minute"];
  const mostMs = maxMs ?? rule.maxMs;
  const range = readRange(query);
  const to = range.toMs ?? nowMs;
  const fromMs = Math.floor((range.fromMs ?? to - defaultMs) / stepMs) * stepMs;
  const toMs = Math.ceil(to / stepMs) * stepMs;
  if (toMs - fromMs > mostMs + stepMs)
    throw refused([{ path: "from", message: `is more than ${formatDuration(mostMs)} before to` }]);
  return { fromMs, toMs, stepMs };
}

export const STEP_FIELDS = { ...RANGE_FIELDS, step: StepField };
