// The number of requests that an endpoint may have under way. Pure.

/** Enough for 1,600 calls/s at 5 ms. */
const START_LIMIT = 8;

/** Latency may be so much above the endpoint's own best before it counts as queueing there (or here). */
const TOLERANCE = 2;

/** The latency below which differences are those of our own event loop. */
const MIN_LATENCY_MS = 1;

/** The best latency of the last one to two of these is the measure: an endpoint that has become slower for good gets a new one. */
const BEST_PERIOD_MS = 10_000;

/** The share of failures above which a window lowers the limit. */
const FAILURE_SHARE = 0.1;

/**
 * Grows while all places are taken and requests succeed, by the gradient of the endpoint's own latency: a fast endpoint gets by on few
 * connections (more of them cost CPU and deliver nothing), one that needs 4.9 s for each answer may get hundreds. Failures lower it
 * to at most half each window. Doubles at first, and after a recovery, until latency or a failure says stop.
 */
export class Limiter {
  readonly #max: number;
  #limit: number;
  #isRamping = true;
  #isSaturated = false;
  #isOurLatency = false;
  #samples = 0;
  #failures = 0;
  #sumMs = 0;
  #bestMs = Number.POSITIVE_INFINITY;
  #bestBeforeMs = Number.POSITIVE_INFINITY;
  #bestSinceMs = 0;
  /** The lowest latency of this window. */
  #lowestMs = Number.POSITIVE_INFINITY;
  #averageMs = 0;

  constructor(max: number) {
    this.#max = max;
    this.#limit = Math.min(START_LIMIT, max);
  }

  /** The limit, at least 1; compare `inFlight + 1 <= limit`. */
  get limit(): number {
    return this.#limit;
  }

  /** It still finds out how much the endpoint takes. */
  get isRamping(): boolean {
    return this.#isRamping;
  }

  /** The recent average time that a request holds its place; 0 while unknown. */
  get averageMs(): number {
    return this.#averageMs;
  }

  /**
   * All places were taken when one more was wanted: without that there is no reason to grow. `isOurLatency`: the process is slow itself,
   * so how long requests take says nothing about the endpoint.
   */
  saturated(isOurLatency = false): void {
    this.#isSaturated = true;
    this.#isOurLatency ||= isOurLatency;
  }

  /** Begins at one again, as after an outage. */
  restart(): void {
    this.#limit = 1;
    this.#isRamping = true;
    this.#endWindow();
  }

  /** A request has ended. */
  ended(isFailure: boolean, durationMs: number, nowMs: number): void {
    this.#averageMs += this.#averageMs === 0 ? durationMs : (durationMs - this.#averageMs) / 8;
    this.#samples += 1;
    this.#sumMs += durationMs;
    if (isFailure) this.#failures += 1;
    else if (durationMs < this.#lowestMs) this.#lowestMs = durationMs;
    // About one round of all places.
    if (this.#samples < (this.#isRamping ? this.#limit : Math.max(this.#limit, START_LIMIT))) return;
    this.#learnBest();
    this.#adapt();
    this.#endWindow();
    if (nowMs - this.#bestSinceMs >= BEST_PERIOD_MS) this.#nextBestPeriod(nowMs);
  }

  /**
   * Learns the best latency. Requests within the start limit do not queue for each other: their latency is
   * the endpoint's now, however fast it was before.
   */
  #learnBest(): void {
    const isOfItsOwn = this.#limit <= START_LIMIT && this.#lowestMs < Number.POSITIVE_INFINITY;
    this.#bestMs = isOfItsOwn ? this.#lowestMs : Math.min(this.#bestMs, this.#lowestMs);
    if (isOfItsOwn) this.#bestBeforeMs = this.#lowestMs;
  }

  #adapt(): void {
    const failureShare = this.#failures / this.#samples;
    if (failureShare > FAILURE_SHARE) {
      this.#isRamping = false;
      this.#limit = Math.max(1, this.#limit * (1 - failureShare / 2));
    } else if (this.#isSaturated) {
      this.#limit = Math.min(this.#grown(), this.#max);
      if (this.#limit === this.#max) this.#isRamping = false;
    }
  }

  #grown(): number {
    if (this.#isOurLatency) return this.#limit + Math.sqrt(this.#limit);
    const bestMs = Math.max(Math.min(this.#bestMs, this.#bestBeforeMs), MIN_LATENCY_MS);
    const gradient = Math.min(1, Math.max(0.5, (TOLERANCE * bestMs * this.#samples) / this.#sumMs));
    if (gradient < 1) this.#isRamping = false;
    return this.#isRamping ? this.#limit * 2 : this.#limit * gradient + Math.sqrt(this.#limit);
  }

  #endWindow(): void {
    this.#samples = 0;
    this.#failures = 0;
    this.#sumMs = 0;
    this.#lowestMs = Number.POSITIVE_INFINITY;
    this.#isSaturated = false;
    this.#isOurLatency = false;
  }

  #nextBestPeriod(nowMs: number): void {
    this.#bestBeforeMs = this.#bestMs;
    this.#bestMs = Number.POSITIVE_INFINITY;
    this.#bestSinceMs = nowMs;
  }
}
