import { DURATION_BUCKETS, durationBucket } from "#contract";
import type { DeliveryTotal } from "#topics";

const MINUTE_MS = 60_000;

/** The content of a record of totals; its writer is added when it is written. */
export type Total = Omit<DeliveryTotal, "writer" | "sequence">;

/** What is counted together. */
export interface Counted {
  readonly destinationId: string;
  /** Whose calls. */
  readonly sourceId: string;
  /** The webhook's; empty where none was asked. */
  readonly url: string;
}

/** Different ones of a minute; an endpoint that answers with ever more has the others in its classes. */
const MAX_STATUSES = 30;

/** Counts of one minute, as far as they are not written yet. */
class Counts {
  readonly #of: Counted;
  readonly #minuteMs: number;
  readonly #outcomes = new Map<string, number>();
  /** By status; 5 stands for others from 500 on. */
  readonly #statuses = new Map<number, number>();
  readonly #durations = new Array<number>(DURATION_BUCKETS).fill(0);
  readonly #latencies = new Array<number>(DURATION_BUCKETS).fill(0);

  constructor(of: Counted, minuteMs: number) {
    this.#of = of;
    this.#minuteMs = minuteMs;
  }

  get endMs(): number {
    return this.#minuteMs + MINUTE_MS;
  }

  outcome(outcome: string): void {
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  status(status: number): void {
    const count = this.#statuses.get(status);
    const isOneTooMany = count === undefined && this.#statuses.size >= MAX_STATUSES;
    const key = isOneTooMany ? Math.floor(status / 100) : status;
    this.#statuses.set(key, (isOneTooMany ? (this.#statuses.get(key) ?? 0) : (count ?? 0)) + 1);
  }

  duration(durationMs: number): void {
    countIn(this.#durations, durationMs);
  }

  /** From acceptance to a success. */
  latency(latencyMs: number): void {
    countIn(this.#latencies, latencyMs);
  }

  total(): Total {
    const { destinationId, sourceId, url } = this.#of;
    return {
      ...{ destinationId, sourceId, url, minuteMs: this.#minuteMs },
      outcomes: Object.fromEntries(this.#outcomes),
      statuses: Object.fromEntries(
        [...this.#statuses].map(([status, count]) => [status < 10 ? `${status}xx` : `${status}`, count]),
      ),
      durationCounts: used(this.#durations),
      latencyCounts: used(this.#latencies),
    };
  }
}

function countIn(buckets: number[], ms: number): void {
  const bucket = durationBucket(ms);
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

function used(buckets: readonly number[]): number[] {
  return buckets.slice(0, buckets.findLastIndex((count) => count > 0) + 1);
}

/**
 * Counts what becomes of requests, per webhook, source and minute. Nothing is made per request; memory is two small arrays for each
 * webhook that had one since the last `take`.
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
  at(of: Counted, endedAtMs: number): Omit<Counts, "endMs" | "total"> {
    // Neither id has a space.
    const key = `${of.destinationId} ${of.sourceId} ${of.url}`;
    const known = this.#counts.get(key);
    if (known !== undefined && endedAtMs < known.endMs) return known;
    if (known !== undefined) this.#finished.push(known.total());
    const counts = new Counts(of, Math.floor(endedAtMs / MINUTE_MS) * MINUTE_MS);
    this.#counts.set(key, counts);
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
