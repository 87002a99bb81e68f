// Moments and amounts in words, from numbers alone.

const UNITS: readonly (readonly [name: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];
const LONG_UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ["h", 3_600],
  ["min", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always", style: "short" });

/** "3 min. ago", "in 10 sec." */
export function relativeTime(atMs: number, nowMs: number): string {
  const distanceMs = atMs - nowMs;
  const [unit, ms] = UNITS.find(([, size]) => Math.abs(distanceMs) >= size) ?? ["second", 1_000];
  const count = Math.trunc(distanceMs / ms);
  return count === 0 ? "now" : relative.format(count, unit);
}

/** 1,234 ms as "1.2 s". */
export function duration(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** "about 3 min", "about 90 s". */
export function longDuration(seconds: number): string {
  const [unit, size] = LONG_UNITS.find(([, least]) => seconds >= 2 * least) ?? ["s", 1];
  return `about ${Math.round(seconds / size).toLocaleString("en")} ${unit}`;
}

/** "1 call", "1,234 calls"; `one` is a noun that takes an s. */
export function amount(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

interface Waiting {
  readonly calls: number;
  /** False: more may wait, it took too long to count. */
  readonly isComplete: boolean;
}

/** "12 calls", "at least 12 calls", without the noun where none is given; undefined where nothing is known. */
export function waitingText(waiting: Waiting | null, one?: string): string | undefined {
  if (waiting === null || (waiting.calls === 0 && !waiting.isComplete)) return undefined;
  const { calls, isComplete } = waiting;
  const count = one === undefined ? calls.toLocaleString("en") : amount(calls, one);
  return isComplete ? count : `at least ${count}`;
}

/** Undefined where nothing was counted. */
export function share(part: number, whole: number): string | undefined {
  if (whole === 0) return undefined;
  // 99.96 % is not all.
  const percent = part === whole ? 100 : Math.min((100 * part) / whole, 99.9);
  return `${percent.toFixed(percent === 100 ? 0 : 1)} %`;
}
