/** Why a request was not made. `paused`: the endpoint asked for it (Retry-After). `rate_limited`: its destination has set a limit (contract 4.4). */
export const DIVERT_REASONS = [
  "breaker_open",
  "crowded",
  "queue_slow",
  "stalled",
  "retry_share",
  "paused",
  "rate_limited",
] as const;
export type DivertReason = (typeof DIVERT_REASONS)[number];

/**
 * A request that wants through its endpoint's lane; it is either started, diverted or withdrawn, once. One object for each, linked in the
 * lane's queue by itself: the way through a free lane makes no garbage.
 */
export interface LaneRequest {
  readonly endpoint: string;
  /** Not a first attempt: it has failed, or was diverted, before. */
  readonly isRetry: boolean;
  /** The lanes' own. */
  next: LaneRequest | undefined;
  enteredAtMs: number;
  /** The gate that let it through; it is to be told when the request has ended or was diverted. */
  gate: { left(): void } | undefined;
  /** It is no longer this process's to make: it is then neither started nor diverted, but told so by `withdraw`. */
  readonly isWithdrawn: boolean;
  withdraw(): void;
  start(): void;
  /** No request is made; `turnAtMs` is when it might be, where that is known, by the lanes' clock. */
  divert(reason: DivertReason, turnAtMs: number | undefined): void;
}

/** First in, first out. */
export class RequestQueue {
  #head: LaneRequest | undefined;
  #tail: LaneRequest | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get head(): LaneRequest | undefined {
    return this.#head;
  }

  push(request: LaneRequest): void {
    if (this.#tail === undefined) this.#head = request;
    else this.#tail.next = request;
    this.#tail = request;
    this.#length += 1;
  }

  shift(): LaneRequest | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#head = head.next;
    if (this.#head === undefined) this.#tail = undefined;
    head.next = undefined;
    this.#length -= 1;
    return head;
  }
}
