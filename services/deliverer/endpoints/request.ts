import type { DivertReason } from "#contract";

/**
 * A request that wants through its endpoint's queue; it is either started, diverted or withdrawn, once. One object for each, linked in the
 * queue by itself: the way through a free queue makes no garbage.
 */
export interface EndpointRequest {
  readonly endpoint: string;
  /** The job has failed, or was diverted, before. */
  readonly isRetry: boolean;
  /** The queues' own. */
  next: EndpointRequest | undefined;
  enteredAtMs: number;
  /** The limit that let it through. The queues call `left` when the request has ended or was diverted. */
  limit: { left(nowMs: number): void } | undefined;
  /** This process may no longer make it: the queues then call `withdraw`, and neither `start` nor `divert`. */
  readonly isWithdrawn: boolean;
  withdraw(): void;
  start(): void;
  /** No request is made; `turnAtMs` is when it might be, where that is known, by the queues' clock. */
  divert(reason: DivertReason, turnAtMs: number | undefined): void;
}

/** First in, first out. */
export class RequestQueue {
  #head: EndpointRequest | undefined;
  #tail: EndpointRequest | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get head(): EndpointRequest | undefined {
    return this.#head;
  }

  push(request: EndpointRequest): void {
    if (this.#tail === undefined) this.#head = request;
    else this.#tail.next = request;
    this.#tail = request;
    this.#length += 1;
  }

  /** Takes the head, if it is one of those. */
  shiftIf(isWanted: (head: EndpointRequest) => boolean): EndpointRequest | undefined {
    return this.#head !== undefined && isWanted(this.#head) ? this.shift() : undefined;
  }

  shift(): EndpointRequest | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#head = head.next;
    if (this.#head === undefined) this.#tail = undefined;
    head.next = undefined;
    this.#length -= 1;
    return head;
  }
}
