// One endpoint: which requests are under way, which wait, and what its limiter and breaker learn from them. Pure.
import type { AttemptOutcome, DivertReason } from "#contract";
import { Breaker } from "./breaker.ts";
import { Limiter } from "./limiter.ts";
import { type EndpointRequest, RequestQueue } from "./request.ts";

/** No request waits longer for a place. */
export const MAX_WAIT_MS = 2_000;

/** All places are taken, and nothing was answered for so long: a request that waits now would wait too long. */
const STALLED_MS = 1_000;

/** The largest share of the places, and of the turns, that retries get while first attempts wait. */
const RETRY_SHARE = 1 / 4;
const FIRSTS_PER_RETRY = 1 / RETRY_SHARE - 1;

/** The longest pause that an endpoint can ask for (Retry-After). After it the endpoint is asked again. */
const MAX_PAUSE_MS = 30 * 60_000;

/** The time for which a limiter's estimates hold. Then the queue can go. */
const IDLE_MS = 60_000;
/** No call has come to probe an open breaker for so long: longer than any retry delay. */
const FORGOTTEN_MS = 3_600_000;
/** Interval at which a queue reports its room. */
const ROOM_PERIOD_MS = 5_000;

export interface EndpointQueueOptions {
  readonly endpoint: string;
  readonly maxInFlight: number;
  readonly retryDelaysMs: readonly number[];
  readonly nowMs: number;
}

type RetryableOutcome = Extract<AttemptOutcome, { kind: "retryable" }>;

export class EndpointQueue {
  readonly endpoint: string;
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  /** Waiting first attempts, in order; and waiting retries. */
  readonly firsts = new RequestQueue();
  readonly retries = new RequestQueue();
  /** Decides about the half-open breaker. */
  probe: EndpointRequest | undefined;
  /** It diverted requests for want of room, and has not reported room since. */
  hasTurnedAway = false;
  #roomToldAtMs = 0;
  usedAtMs: number;
  #inFlight = 0;
  #retriesInFlight = 0;
  #firstsSinceRetry = 0;
  /** When the endpoint last answered, or when its first request was made. */
  #signAtMs = 0;

  constructor({ endpoint, maxInFlight, retryDelaysMs, nowMs }: EndpointQueueOptions) {
    this.endpoint = endpoint;
    this.limiter = new Limiter(maxInFlight);
    this.breaker = new Breaker(retryDelaysMs);
    this.usedAtMs = nowMs;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.firsts.length + this.retries.length;
  }

  /** Requests under way and waiting. */
  get held(): number {
    return this.#inFlight + this.firsts.length + this.retries.length;
  }

  get isFull(): boolean {
    return this.#inFlight + 1 > this.limiter.limit;
  }

  /** The time for which the endpoint has answered nothing while requests are under way. */
  silentMs(livedMs: number): number {
    return this.#inFlight === 0 ? 0 : livedMs - this.#signAtMs;
  }

  /** The wait of the first of the waiting first attempts. */
  #waitedMs(livedMs: number): number {
    const { head } = this.firsts;
    return head === undefined ? 0 : livedMs - head.enteredAtMs;
  }

  /**
   * The time for which a request that comes now would be held, judged by those before it. A wait counts by
   * half, because it has a bound of its own.
   */
  dwellMs(livedMs: number): number {
    return Math.max(this.limiter.averageMs, this.#waitedMs(livedMs) / 2);
  }

  /** A place is free, and the request passes over none that waits. */
  canStart({ isRetry }: EndpointRequest): boolean {
    if (this.isFull || this.firsts.length > 0) return false;
    return !isRetry || (this.retries.length === 0 && this.#retriesInFlight < this.#retryPlaces());
  }

  /** Why a request had better not wait here; undefined: it may. */
  refusal({ isRetry }: EndpointRequest, livedMs: number): DivertReason | undefined {
    if (this.isFull && this.silentMs(livedMs) >= STALLED_MS) return "stalled";
    if (!isRetry) return this.#isTooLong(livedMs) ? "queue_slow" : undefined;
    const share = this.firsts.length > 0 ? RETRY_SHARE : 1;
    return this.#waitMs(this.retries.length) > MAX_WAIT_MS * share ? "retry_share" : undefined;
  }

  /** Foreseen, and those in front wait already: one slow answer alone says little. */
  #isTooLong(livedMs: number): boolean {
    return this.#waitMs(this.firsts.length) > MAX_WAIT_MS && this.#waitedMs(livedMs) >= MAX_WAIT_MS / 2;
  }

  /** The number of further retries that would not wait much longer than one round. */
  roomForRetries(): number {
    const { limit } = this.limiter;
    const places = this.firsts.length > 0 ? limit * RETRY_SHARE : limit;
    return Math.max(0, Math.ceil(2 * places) - this.#retriesInFlight - this.retries.length);
  }

  started({ isRetry }: EndpointRequest, livedMs: number): void {
    if (this.#inFlight === 0) this.#signAtMs = livedMs;
    this.#inFlight += 1;
    if (isRetry) {
      this.#retriesInFlight += 1;
      this.#firstsSinceRetry = 0;
    } else {
      this.#firstsSinceRetry += 1;
    }
  }

  ended({ isRetry }: EndpointRequest, livedMs: number): void {
    this.#signAtMs = livedMs;
    this.#inFlight -= 1;
    if (isRetry) this.#retriesInFlight -= 1;
  }

  /** Learns from an ended request (contract 3.3). Returns true when the endpoint has recovered. */
  learn(request: EndpointRequest, outcome: AttemptOutcome, nowMs: number): boolean {
    const isProbe = this.probe === request;
    if (isProbe) this.probe = undefined;
    if (outcome.kind === "retryable") {
      this.#learnFailure(outcome, isProbe, nowMs);
      return false;
    }
    const isRecovered = this.breaker.answered(isProbe, nowMs);
    if (isRecovered) this.limiter.restart();
    return isRecovered;
  }

  #learnFailure({ reason, retryAfterMs = 0 }: RetryableOutcome, isProbe: boolean, nowMs: number): void {
    const asksForPause = retryAfterMs > 0 && (reason === "http_429" || reason === "http_5xx");
    // An endpoint that is only asked too often is not down.
    if (reason !== "http_429" || !asksForPause) this.breaker.failed(isProbe, nowMs);
    if (asksForPause) this.breaker.pause(nowMs + Math.min(retryAfterMs, MAX_PAUSE_MS));
  }

  /** It has turned requests away, and could take them now; that is said every few seconds at most. */
  hasRoomToTell(nowMs: number): boolean {
    const hasRoom = this.breaker.state === "closed" && this.held * 2 <= this.limiter.limit;
    return this.hasTurnedAway && hasRoom && nowMs - this.#roomToldAtMs >= ROOM_PERIOD_MS;
  }

  roomIsTold(nowMs: number): void {
    this.hasTurnedAway = false;
    this.#roomToldAtMs = nowMs;
  }

  /** It can be forgotten. */
  isIdle(nowMs: number): boolean {
    const isClosed = this.breaker.state === "closed";
    if (this.held > 0 || (isClosed && this.hasTurnedAway)) return false;
    const idleMs = nowMs - Math.max(this.usedAtMs, this.breaker.untilMs);
    return idleMs >= (isClosed ? IDLE_MS : FORGOTTEN_MS);
  }

  /** Takes the request whose turn it is; undefined when there is none. */
  takeNext(): EndpointRequest | undefined {
    if (this.isFull || this.breaker.state !== "closed") return undefined;
    return this.#isRetrysTurn() ? this.retries.shift() : this.firsts.shift();
  }

  #isRetrysTurn(): boolean {
    if (this.retries.length === 0 || this.#retriesInFlight >= this.#retryPlaces()) return false;
    return this.firsts.length === 0 || this.#firstsSinceRetry >= FIRSTS_PER_RETRY;
  }

  /** One place stays free of retries, so that a first attempt does not find all of them held by retries that hang. */
  #retryPlaces(): number {
    const { limit } = this.limiter;
    return Math.max(1, Math.floor(this.firsts.length > 0 ? limit * RETRY_SHARE : limit - 1));
  }

  /** Places times rounds; unknown, so 0, while the limiter still finds out what the endpoint takes. */
  #waitMs(ahead: number): number {
    const { averageMs, isRamping, limit } = this.limiter;
    return isRamping ? 0 : (ahead * averageMs) / limit;
  }
}
