// What a profile keeps of the calls that an event leaf counts (decision 45).

/** A value with the time by which it is first or last: its event time, then when it was received. */
export interface Pick {
  readonly atMs: number;
  readonly receivedAtMs: number;
  readonly value: unknown;
}

/** The occurrences of one bucket of time; those of a lifetime are one bucket. */
export interface Tally {
  /** Event time divided by the bucket's width, rounded down; 0 for a lifetime. */
  readonly index: number;
  n: number;
  firstMs: number;
  lastMs: number;
  /** Of numbers: sum, avg, min, max. */
  sum: number;
  min: number;
  max: number;
  /** Of first and last. */
  pick: Pick | undefined;
}

/** Event times, newest first, only as many as the leaf's count needs. */
export interface TimesState {
  readonly kind: "times";
  times: number[];
}

/** Buckets in the order of their index; what a tally holds beside the times depends on the kind. */
export interface TalliesState {
  readonly kind: "counts" | "numbers" | "picks";
  tallies: Tally[];
}

/** Scalar values by their JSON text, each with its own buckets. */
export interface ValuesState {
  readonly kind: "values";
  readonly values: Map<string, Tally[]>;
  /** A value was left out because there were too many. */
  isOverflowing: boolean;
  /** How many buckets all of them have, and how many bytes their texts take: counted, as there may be a thousand. */
  tallyCount: number;
  textBytes: number;
  /** Before this moment no bucket is over. */
  pruneAtMs: number;
  /** Of unique_count: no long value is kept as it is. */
  isHashed: boolean;
}

/** One occurrence that counts from one moment until another. */
export interface TimedOccurrence extends Pick {
  readonly fromMs: number;
  readonly untilMs: number;
}

/**
 * Of leaves whose conditions begin and end to hold, by the passing of time or with a trait. With the latter each value is a list: the one
 * that is reduced, then those that are compared.
 */
export interface OccurrencesState {
  readonly kind: "occurrences";
  occurrences: TimedOccurrence[];
  isOverflowing: boolean;
}

/** Calls with less than the break between them: when the first and the last one was. */
export interface Run {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Runs in the order of time. */
export interface RunsState {
  readonly kind: "runs";
  runs: readonly Run[];
}

export type LeafState = TimesState | TalliesState | ValuesState | OccurrencesState | RunsState;

/** What a leaf comes to at one moment. */
export interface Evaluation {
  /** The count, or the reducer's value. */
  readonly value: unknown;
  /** Until then it stays so, if nothing happens; Infinity: for ever. */
  readonly untilMs: number;
  readonly isOverflowing: boolean;
}
