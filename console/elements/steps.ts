// Spans of time that statistics are shown for, and their entries as lines of a chart; from numbers alone.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** `step` as the API names it. */
export const SPANS = {
  hour: { step: "minute", stepMs: MINUTE_MS, lengthMs: HOUR_MS, title: "the last hour" },
  day: { step: "hour", stepMs: HOUR_MS, lengthMs: 24 * HOUR_MS, title: "the last day" },
  week: { step: "hour", stepMs: HOUR_MS, lengthMs: 7 * 24 * HOUR_MS, title: "the last seven days" },
} as const;
export type Span = (typeof SPANS)[keyof typeof SPANS];

/** The last hour where nothing else is asked for. */
export function spanOf(name: string | undefined): Span {
  return name === "day" || name === "week" ? SPANS[name] : SPANS.hour;
}

/** From a whole step on, as the API rounds it. */
export function queryOf({ lengthMs, step, stepMs }: Span, nowMs: number) {
  return { from: new Date(Math.floor((nowMs - lengthMs) / stepMs) * stepMs).toISOString(), step };
}

export interface Line {
  readonly label: string;
  /** A colour of main.css. */
  readonly tone: "good" | "bad" | "wait" | "link";
  /** One for each step. */
  readonly counts: readonly number[];
}

export interface LineOf<E> extends Omit<Line, "counts"> {
  readonly count: (entry: E) => number;
}

interface Range<E> {
  readonly from: string;
  readonly to: string;
  readonly stepMs: number;
  /** By the start of its step; a step without calls has none. */
  readonly entries: readonly (readonly [at: string, entry: E])[];
}

/** A step without an entry counts nothing. Starts are Unix seconds. */
export function linesOf<E>(
  { entries, from, stepMs, to }: Range<E>,
  lines: readonly LineOf<E>[],
): { readonly starts: readonly number[]; readonly lines: readonly Line[] } {
  const known = new Map(entries.map(([at, entry]) => [Date.parse(at), entry]));
  const firstMs = Date.parse(from);
  const steps = Math.max(1, Math.ceil((Date.parse(to) - firstMs) / stepMs));
  const startsMs = Array.from({ length: steps }, (_, place) => firstMs + place * stepMs);
  return {
    starts: startsMs.map((atMs) => atMs / SECOND_MS),
    lines: lines.map(({ count, ...line }) => ({
      ...line,
      counts: startsMs.map((atMs) => {
        const entry = known.get(atMs);
        return entry === undefined ? 0 : count(entry);
      }),
    })),
  };
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
