// Whether an endpoint is asked at all. Pure.

export const BREAKER_STATES = ["closed", "open", "half_open"] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** `probe`: this one request may go, to see whether the endpoint is back. */
export type Permission = "go" | "probe" | "none";

/**
 * Failures in a row that open it, each within 10 s of the one before: a single call's retries are no load to
 * be turned away.
 */
const STREAK = 5;
const STREAK_GAP_MS = 10_000;
/** The other reason to open: this share of the requests of the last 5 to 10 s, when they were this many. */
const FAILURE_SHARE = 0.5;
const MIN_REQUESTS = 20;
const BUCKET_MS = 5_000;
/** The wait before the next probe, as a part of the time that an endpoint has been down. */
const PERIOD_SHARE = 0.1;

/**
 * Opens when an endpoint fails; then lets one probe through per period: a tenth of the time it has been down, so that an endpoint
 * that is back is known to be so within a tenth of its outage, whatever that was; at least a tenth of the shortest retry delay, and at
 * most the longest. A permission that nobody uses stays for the next call.
 */
export class Breaker {
  readonly #retryDelaysMs: readonly number[];
  #state: BreakerState = "closed";
  #isPaused = false;
  /** The end of the pause that the endpoint has asked for; `untilMs` is later where it is down for longer. */
  #pausedUntilMs = 0;
  #isProbeAsked = false;
  /** The time since which it has been open without an answer; undefined while it is closed. */
  #downSinceMs: number | undefined;
  #untilMs = 0;
  #streak = 0;
  #failedAtMs = 0;
  #bucketSinceMs = 0;
  #total = 0;
  #failed = 0;
  #totalBefore = 0;
  #failedBefore = 0;

  constructor(retryDelaysMs: readonly number[]) {
    this.#retryDelaysMs = retryDelaysMs;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** It is open because the endpoint asked for a pause. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The next call is its probe, because somebody asked for one. */
  get isProbeAsked(): boolean {
    return this.#isProbeAsked && this.#state === "open";
  }

  /** The next call shall be a probe, without the rest of the period. False: not now. The endpoint has asked for a pause, or a probe of before is under way. */
  askForProbe(nowMs: number): boolean {
    if (this.#state === "closed") return true;
    if (this.#state === "half_open" || (this.#isPaused && nowMs < this.#pausedUntilMs)) return false;
    this.#isProbeAsked = true;
    this.#untilMs = 0;
    return true;
  }

  /** When the next probe may go. */
  get untilMs(): number {
    return this.#untilMs;
  }

  permit(nowMs: number): Permission {
    if (this.#state === "closed") return "go";
    if (this.#state === "half_open" || nowMs < this.#untilMs) return "none";
    this.#state = "half_open";
    this.#isProbeAsked = false;
    return "probe";
  }

  /** The endpoint has answered. True: it has recovered by it. */
  answered(isProbe: boolean, nowMs: number): boolean {
    this.#streak = 0;
    this.#count(0, nowMs);
    if (!isProbe) return false;
    this.#state = "closed";
    this.#downSinceMs = undefined;
    return true;
  }

  /** The endpoint has failed. True: the breaker has opened by it, or stays open for a further period. */
  failed(isProbe: boolean, nowMs: number): boolean {
    this.#streak = nowMs - this.#failedAtMs < STREAK_GAP_MS ? this.#streak + 1 : 1;
    this.#failedAtMs = nowMs;
    this.#count(1, nowMs);
    if (isProbe) return this.#open(nowMs);
    return this.#state === "closed" && this.#isTooMuch() && this.#open(nowMs);
  }

  /** The endpoint asked for a pause (Retry-After): no request before `untilMs`, then a probe. */
  pause(untilMs: number): void {
    this.#state = "open";
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#isPaused = true;
    this.#isProbeAsked = false;
    this.#untilMs = Math.max(this.#untilMs, untilMs);
  }

  #open(nowMs: number): true {
    this.#state = "open";
    this.#isPaused = false;
    this.#downSinceMs ??= nowMs;
    this.#untilMs = nowMs + this.#periodMs(nowMs - this.#downSinceMs);
    this.#streak = 0;
    this.#total = 0;
    this.#failed = 0;
    this.#totalBefore = 0;
    this.#failedBefore = 0;
    return true;
  }

  #periodMs(downMs: number): number {
    const [shortestMs = 0] = this.#retryDelaysMs;
    const longestMs = this.#retryDelaysMs.at(-1) ?? shortestMs;
    return Math.min(longestMs, Math.max(shortestMs, downMs) * PERIOD_SHARE);
  }

  #isTooMuch(): boolean {
    if (this.#streak >= STREAK) return true;
    const total = this.#total + this.#totalBefore;
    return total >= MIN_REQUESTS && this.#failed + this.#failedBefore >= total * FAILURE_SHARE;
  }

  #count(failures: 0 | 1, nowMs: number): void {
    const ageMs = nowMs - this.#bucketSinceMs;
    if (ageMs >= BUCKET_MS) {
      const isNext = ageMs < 2 * BUCKET_MS;
      this.#totalBefore = isNext ? this.#total : 0;
      this.#failedBefore = isNext ? this.#failed : 0;
      this.#total = 0;
      this.#failed = 0;
      this.#bucketSinceMs = nowMs;
    }
    this.#total += 1;
    this.#failed += failures;
  }
}
