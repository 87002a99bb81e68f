// Alerts for objectives: over two windows each, so that they fire soon, and end soon once the cause has ended. The pairs are those of
// Google's SRE Workbook, chapter 5 ("Alerting on SLOs").
import type { Objective, Window } from "./objectives.ts";
import { type AlertRule, alertRule, type RecordingRule } from "./rule.ts";

interface BurnRate {
  readonly long: Window;
  readonly short: Window;
  /** How many times too fast the budget of 30 days is spent. */
  readonly factor: number;
}

const PAGES: readonly BurnRate[] = [
  { long: "1h", short: "5m", factor: 14.4 },
  { long: "6h", short: "30m", factor: 6 },
];
const TICKETS: readonly BurnRate[] = [
  { long: "1d", short: "2h", factor: 3 },
  { long: "3d", short: "6h", factor: 1 },
];

const WINDOWS: readonly Window[] = ["5m", "30m", "1h", "2h", "6h", "1d", "3d"];

/** With fewer events a second over the long window, one bad one would fire. */
const FLOOR_PER_SECOND = 0.1;

const ratio = ({ id }: Objective, window: Window): string => `hookline:${id}:ratio_rate${window}`;
const events = ({ id }: Objective, window: Window): string => `hookline:${id}_events:rate${window}`;

export function recordingRules(objective: Objective): RecordingRule[] {
  return WINDOWS.flatMap((window) => [
    { record: events(objective, window), expr: objective.all(window) },
    { record: ratio(objective, window), expr: `(${objective.bad(window)}) / (${objective.all(window)} > 0)` },
  ]);
}

/** Exact as text: 14.4 × 0.001 is no short number as a double. */
const threshold = (value: number): string => String(Number(value.toPrecision(6)));

function condition(objective: Objective, { long, short, factor }: BurnRate): string {
  const above = threshold(factor * objective.budget);
  const isAbove = (window: Window): string => `${ratio(objective, window)} > ${above}`;
  return `(${isAbove(long)} and ${isAbove(short)} and ${events(objective, long)} > ${FLOOR_PER_SECOND})`;
}

export function burnAlerts(objective: Objective): AlertRule[] {
  const { alert, badEvents, dashboard, summary } = objective;
  const description = `{{ $value | humanizePercentage }} ${badEvents}; allowed are ${objective.budget * 100} %.`;
  const either = (rates: readonly BurnRate[]): string =>
    rates.map((rate) => condition(objective, rate)).join(" or ");
  return [
    alertRule({ alert, severity: "page", expr: either(PAGES), summary, description }, dashboard),
    alertRule({ alert, severity: "ticket", expr: either(TICKETS), summary, description }, dashboard),
  ];
}
