// The requests that the process holds at all endpoints together: those under way, those that wait, the retries among them. Pure.
import type { EndpointQueue } from "./endpoint-queue.ts";
import { FairShare } from "./fair-share.ts";
import type { EndpointRequest } from "./request.ts";

/** The part of what the process can hold that retries may have. More of them stay on disk. */
const RETRY_SHARE = 1 / 4;

export class HeldRequests {
  readonly #maxHeld: number;
  readonly #fairShare: FairShare;
  #inFlight = 0;
  #waiting = 0;
  #retries = 0;

  constructor(maxHeld: number) {
    this.#maxHeld = maxHeld;
    this.#fairShare = new FairShare(maxHeld);
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait for a place at their endpoint. */
  get waiting(): number {
    return this.#waiting;
  }

  get isFullOfRetries(): boolean {
    return this.#retries >= this.#maxHeld * RETRY_SHARE;
  }

  /** As `FairShare` says it. */
  isCrowding(queue: EndpointQueue, livedMs: number, isBusy: boolean): boolean {
    return this.#fairShare.isCrowding(queue, livedMs, isBusy);
  }

  /** Starts a request that has not waited. */
  start(queue: EndpointQueue, request: EndpointRequest, livedMs: number): void {
    this.#enter(queue, request);
    this.run(queue, request, livedMs);
  }

  wait(queue: EndpointQueue, request: EndpointRequest, livedMs: number): void {
    this.#enter(queue, request);
    request.enteredAtMs = livedMs;
    this.#waiting += 1;
    (request.isRetry ? queue.retries : queue.firsts).push(request);
  }

  /** Starts a request that is held. */
  run(queue: EndpointQueue, request: EndpointRequest, livedMs: number): void {
    queue.started(request, livedMs);
    this.#inFlight += 1;
    request.start();
  }

  ended(queue: EndpointQueue, request: EndpointRequest, livedMs: number): void {
    this.#inFlight -= 1;
    queue.ended(request, livedMs);
    this.leave(queue, request);
  }

  /** Takes the request whose turn it is; it is held until it has run or left. */
  takeNext(queue: EndpointQueue): EndpointRequest | undefined {
    const next = queue.takeNext();
    if (next !== undefined) this.#waiting -= 1;
    return next;
  }

  /** Lets go of the requests in front that wait no longer, of each kind. */
  letGo(
    queue: EndpointQueue,
    isOver: (request: EndpointRequest) => boolean,
    end: (request: EndpointRequest) => void,
  ): void {
    for (const requests of [queue.firsts, queue.retries]) {
      for (let head = requests.shiftIf(isOver); head !== undefined; head = requests.shiftIf(isOver)) {
        this.#waiting -= 1;
        this.leave(queue, head);
        end(head);
      }
    }
  }

  /** Call it after the queue has counted the request out. */
  leave(queue: EndpointQueue, { isRetry }: EndpointRequest): void {
    this.#fairShare.leave(queue.held === 0);
    if (isRetry) this.#retries -= 1;
  }

  /** Before the queue counts the request. */
  #enter(queue: EndpointQueue, { isRetry }: EndpointRequest): void {
    this.#fairShare.enter(queue.held === 0);
    if (isRetry) this.#retries += 1;
  }
}
