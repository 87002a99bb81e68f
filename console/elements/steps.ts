// Spans of time that statistics are shown for, and their entries as lines of a chart; from numbers alone.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

const DAY_MS = 24 * HOUR_MS;

/** As the API names them. */
const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
export type Step = keyof typeof STEP_MS;

/** The first step is shown unless another is chosen. */
interface Shown {
  readonly lengthMs: number;
  readonly steps: readonly [Step, ...Step[]];
  readonly title: string;
}

export const SPANS = {
  hour: { lengthMs: HOUR_MS, steps: ["minute"], title: "the last hour" },
  day: { lengthMs: DAY_MS, steps: ["hour", "minute"], title: "the last day" },
  week: { lengthMs: 7 * DAY_MS, steps: ["hour", "day"], title: "the last seven days" },
  month: { lengthMs: 30 * DAY_MS, steps: ["day", "hour"], title: "the last thirty days" },
  year: { lengthMs: 395 * DAY_MS, steps: ["day"], title: "the last thirteen months" },
} as const satisfies Readonly<Record<string, Shown>>;
export type SpanName = keyof typeof SPANS;

export interface Span extends Pick<Shown, "lengthMs" | "title"> {
  readonly name: SpanName;
  readonly step: Step;
  readonly stepMs: number;
}

/** The last hour where nothing else is asked for. */
export function spanOf(asked: string | undefined, askedStep?: string): Span {
  const name = (Object.keys(SPANS) as SpanName[]).find((one) => one === asked) ?? "hour";
  const { lengthMs, steps, title }: Shown = SPANS[name];
  const step = steps.find((one) => one === askedStep) ?? steps[0];
  return { name, lengthMs, title, step, stepMs: STEP_MS[step] };
}

/** The same span in as few steps as it has. */
export function coarsest(span: Span): Span {
  const { steps }: Shown = SPANS[span.name];
  return spanOf(span.name, steps.toSorted((one, other) => STEP_MS[other] - STEP_MS[one])[0]);
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
