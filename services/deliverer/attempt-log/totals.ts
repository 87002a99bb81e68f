import { DURATION_BUCKETS, durationBucket } from "#contract";
import type { DeliveryTotal } from "#topics";

const MINUTE_MS = 60_000;

/** The content of a record of totals; its writer is added when it is written. */
export type Total = Omit<DeliveryTotal, "writer" | "sequence">;

/** One destination's counts of one minute, as far as they are not written yet. */
class Counts {
  readonly #destinationId: string;
  readonly #minuteMs: number;
  readonly #outcomes = new Map<string, number>();
  readonly #durations = new Array<number>(DURATION_BUCKETS).fill(0);

  constructor(destinationId: string, minuteMs: number) {
    this.#destinationId = destinationId;
    this.#minuteMs = minuteMs;
  }

  get endMs(): number {
    return this.#minuteMs + MINUTE_MS;
  }

  outcome(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  duration(durationMs: number): void {
    const bucket = durationBucket(durationMs);
    this.#durations[bucket] = (this.#durations[bucket] ?? 0) + 1;
  }

  total(): Total {
    const used = this.#durations.findLastIndex((count) => count > 0) + 1;
    return {
      destinationId: this.#destinationId,
      minuteMs: this.#minuteMs,
      outcomes: Object.fromEntries(this.#outcomes),
      durationCounts: this.#durations.slice(0, used),
    };
  }
}

/**
 * Counts what becomes of requests, per destination and minute. Nothing is made per request; memory is one small array for each
 * destination that had one since the last `take`.
 */
export class Totals {
  readonly #counts = new Map<string, Counts>();
  /** Totals of minutes that were over before they were taken. */
  readonly #finished: Total[] = [];

  /** Records that `take` would give. */
  get size(): number {
    return this.#counts.size + this.#finished.length;
  }

  /**
   * The counts for a request that ended at this time. A late report counts in the minute that has begun
   * since.
   */
  at(destinationId: string, endedAtMs: number): Pick<Counts, "outcome" | "duration"> {
    const known = this.#counts.get(destinationId);
    if (known !== undefined && endedAtMs < known.endMs) return known;
    if (known !== undefined) this.#finished.push(known.total());
    const counts = new Counts(destinationId, Math.floor(endedAtMs / MINUTE_MS) * MINUTE_MS);
    this.#counts.set(destinationId, counts);
    return counts;
  }

  /** Everything counted so far. Counting begins again at zero. */
  take(): Total[] {
    const taken = this.#finished.splice(0);
    for (const counts of this.#counts.values()) taken.push(counts.total());
    this.#counts.clear();
    return taken;
  }
}
