// The share of the process's room that each queue gets, so that endpoints which hang never fill it. Pure.
import type { EndpointQueue } from "./endpoint-queue.ts";

/** Shares count from here on: half of what the process can hold. */
const PRESSED_FROM = 0.5;
/**
 * The time for which a queue over its share may hold a request: when shares begin to count, when the process
 * is nearly full, and while the process itself is slow.
 */
const ALLOWED_MS = { pressed: 1_000, full: 500, busy: 2_000 };
/** A bit before the bound nothing is left to spend. */
const FULL_FROM = 0.95;

/**
 * The fair share of queues. When the process holds more than half of what it can, a queue that already holds
 * its fair share gets nothing more unless it is quick. The fuller the process, the quicker: 200 endpoints
 * that begin to hang at once fill it by what they took in the first moments and by nothing after. A quick
 * queue is never turned away here: were it alone in the way, reading would pause, which is right.
 */
export class FairShare {
  readonly #maxHeld: number;
  #held = 0;
  #activeQueues = 0;

  constructor(maxHeld: number) {
    this.#maxHeld = maxHeld;
  }

  enter(isQueuesFirst: boolean): void {
    this.#held += 1;
    if (isQueuesFirst) this.#activeQueues += 1;
  }

  leave(wasQueuesLast: boolean): void {
    this.#held -= 1;
    if (wasQueuesLast) this.#activeQueues -= 1;
  }

  /** The queue takes room that others need. `isBusy`: the process is slow itself, which tells in how long requests are held. */
  isCrowding(queue: EndpointQueue, livedMs: number, isBusy: boolean): boolean {
    const fullness = this.#held / this.#maxHeld;
    if (fullness < PRESSED_FROM) return false;
    const fairShare = (this.#maxHeld * PRESSED_FROM) / this.#activeQueues;
    if (queue.held < fairShare) return false;
    const allowedMs = this.#allowedMs(fullness);
    return (
      queue.silentMs(livedMs) > allowedMs || queue.dwellMs(livedMs) > (isBusy ? ALLOWED_MS.busy : allowedMs)
    );
  }

  #allowedMs(fullness: number): number {
    const way = Math.min(1, (fullness - PRESSED_FROM) / (FULL_FROM - PRESSED_FROM));
    return ALLOWED_MS.pressed + way * (ALLOWED_MS.full - ALLOWED_MS.pressed);
  }
}
