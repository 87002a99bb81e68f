// The range and the step of statistics.
import { Type } from "typebox";
import { formatDuration, UNITS_MS } from "#contract";
import { KEPT_MS } from "#topics";
import { refused } from "../../http/problem.ts";
import type { StepRange } from "../../http/step-range.ts";
import { RANGE_FIELDS, readRange } from "../../http/time-pages.ts";

const { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS } = UNITS_MS;

const STEPS = ["minute", "hour", "day"] as const;
type Step = (typeof STEPS)[number];

/** `defaultMs`: the range unless asked otherwise. `keptMs`: how far back these steps go; a chart has no room for more of them. */
const STEP_RULES: Readonly<Record<Step, { stepMs: number; defaultMs: number; keptMs: number }>> = {
  minute: { stepMs: MINUTE_MS, defaultMs: HOUR_MS, keptMs: 2 * DAY_MS },
  hour: { stepMs: HOUR_MS, defaultMs: DAY_MS, keptMs: 30 * DAY_MS },
  day: { stepMs: DAY_MS, defaultMs: 30 * DAY_MS, keptMs: KEPT_MS.dailyStats },
};

const StepField = Type.Optional(
  Type.Unsafe<Step>({
    type: "string",
    enum: [...STEPS],
    default: "minute",
    description: "What one entry counts; days are those of UTC.",
  }),
);

const kept = (step: Step): string => formatDuration(STEP_RULES[step].keptMs);

/** For descriptions of routes. */
export const STEP_TEXT = `Minutes go back ${kept("minute")}, and the last hour is shown unless asked otherwise; hours ${kept("hour")}, the last day; days ${kept("day")}, the last 30.`;

interface RangeQuery {
  readonly from?: string;
  readonly to?: string;
  readonly step?: Step;
}

/** The steps that the range touches. Throws a 422 for those that are not kept. */
export function readSteps(query: RangeQuery, nowMs: number): StepRange {
  const step = query.step ?? "minute";
  const { defaultMs, keptMs, stepMs } = STEP_RULES[step];
  const range = readRange(query);
  const to = range.toMs ?? nowMs;
  const fromMs = Math.floor((range.fromMs ?? to - defaultMs) / stepMs) * stepMs;
  // Another machine's clock may be ahead; beyond that nothing has come yet.
  const toMs = Math.ceil(Math.min(to, nowMs + stepMs) / stepMs) * stepMs;
  if (fromMs < nowMs - keptMs - stepMs) throw refused([{ path: "from", message: tooOld(step) }]);
  return { fromMs, toMs, stepMs };
}

const LONGER: Readonly<Record<Step, Step | undefined>> = { minute: "hour", hour: "day", day: undefined };

function tooOld(step: Step): string {
  const longer = LONGER[step];
  const fix = longer === undefined ? "" : `; step=${longer} goes back ${kept(longer)}`;
  return `is more than ${kept(step)} ago${fix}`;
}

export const STEP_FIELDS = { ...RANGE_FIELDS, step: StepField };
