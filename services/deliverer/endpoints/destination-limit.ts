// The limits that a destination sets for itself (contract 4.4). Such a destination has one shard, so this process sees all its
// requests and the limits are exact. Pure.
import type { DestinationConfig } from "#topics";
import { MAX_WAIT_MS } from "./endpoint-queue.ts";
import { type EndpointRequest, RequestQueue } from "./request.ts";

/** The options that are a limit; without any of them a destination has none. */
export const LIMIT_FIELDS = ["maxRequestsPerSecond", "maxInFlight"] as const;

export type Quota = Pick<DestinationConfig, (typeof LIMIT_FIELDS)[number]>;

export function quotaOf(config: Quota): Quota | undefined {
  const { maxRequestsPerSecond, maxInFlight } = config;
  return maxRequestsPerSecond === null && maxInFlight === null
    ? undefined
    : { maxRequestsPerSecond, maxInFlight };
}

/** The most that late ticks make up for: 1 % of a second. */
const CATCH_UP_MS = 10;
const MAX_WAITING = 500;
/** The furthest turn that is dealt out by how long requests take: an endpoint that becomes quicker has its calls by then. */
const MAX_GUESSED_MS = 300_000;

/** Requests go in here before they enter their queue, evenly spaced, in order. */
export class DestinationLimit {
  readonly waiting = new RequestQueue();
  #quota: Quota;
  /** When those under way were let through, in order. */
  readonly #letAtMs: number[] = [];
  /** The recent average time that a request is under way; 0 while unknown. */
  #averageMs = 0;
  /** The next place in time that is free. */
  #nextAtMs = 0;
  /** The same for those that were sent away: each comes back when it may have a turn, in steps of the shortest retry topic's delay. */
  #laterAtMs = 0;

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  /** Turns that were dealt out by other limits are no measure of these. */
  change(quota: Quota): void {
    const isOtherRate = quota.maxRequestsPerSecond !== this.#quota.maxRequestsPerSecond;
    if (isOtherRate) this.#nextAtMs = 0;
    if (isOtherRate || quota.maxInFlight !== this.#quota.maxInFlight) this.#laterAtMs = 0;
    this.#quota = quota;
  }

  /** A new one in its place would do the same: it learns its pace by its first request. */
  isIdle(nowMs: number): boolean {
    return (
      this.#letAtMs.length === 0 &&
      this.waiting.length === 0 &&
      Math.max(this.#nextAtMs, this.#laterAtMs) <= nowMs
    );
  }

  /** False: its turn would be too far away. */
  mayWait(nowMs: number): boolean {
    return this.#turnInMs(nowMs) <= MAX_WAIT_MS && this.waiting.length < MAX_WAITING;
  }

  /** A waiting call may be taken ahead of its time: its turn comes soon, and new calls find room behind it. */
  hasTurn(nowMs: number): boolean {
    const { maxInFlight } = this.#quota;
    return (
      this.#turnInMs(nowMs) <= MAX_WAIT_MS / 2 &&
      this.waiting.length < Math.min(MAX_WAITING / 2, maxInFlight ?? Number.POSITIVE_INFINITY)
    );
  }

  #turnInMs(nowMs: number): number {
    return Math.max(0, this.#nextAtMs - nowMs) + this.waiting.length * this.#paceMs;
  }

  /** One more may go; it is to be counted by `let`. */
  isOpen(nowMs: number): boolean {
    const { maxInFlight } = this.#quota;
    return this.#nextAtMs <= nowMs && this.#letAtMs.length < (maxInFlight ?? Number.POSITIVE_INFINITY);
  }

  let(nowMs: number): void {
    this.#letAtMs.push(nowMs);
    this.#nextAtMs = Math.max(this.#nextAtMs, nowMs - CATCH_UP_MS) + this.#spacingMs;
  }

  /** A request that was let through has ended, or its queue has diverted it. */
  left(nowMs: number): void {
    // Whichever it is, the longest one under way is taken for it: the average is the same.
    const tookMs = nowMs - (this.#letAtMs.shift() ?? nowMs);
    this.#averageMs += this.#averageMs === 0 ? tookMs : (tookMs - this.#averageMs) / 8;
  }

  /** Takes the one whose wait is over, too long. */
  takeExpired(nowMs: number): EndpointRequest | undefined {
    const { head } = this.waiting;
    return head !== undefined && nowMs - head.enteredAtMs >= MAX_WAIT_MS ? this.waiting.shift() : undefined;
  }

  /** When it had better come back. */
  laterMs(nowMs: number): number {
    const paceMs = this.#paceMs;
    const laterAtMs = Math.max(this.#laterAtMs, nowMs) + paceMs;
    this.#laterAtMs = paceMs > this.#spacingMs ? Math.min(laterAtMs, nowMs + MAX_GUESSED_MS) : laterAtMs;
    return this.#laterAtMs;
  }

  /** From one request to the next while others wait. */
  get #paceMs(): number {
    return Math.max(this.#spacingMs, this.#averageMs / (this.#quota.maxInFlight ?? Number.POSITIVE_INFINITY));
  }

  get #spacingMs(): number {
    const { maxRequestsPerSecond } = this.#quota;
    return maxRequestsPerSecond === null ? 0 : 1_000 / maxRequestsPerSecond;
  }
}
