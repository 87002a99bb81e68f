// The share of a busy process that goes to jobs that have waited already. Pure.

const WINDOW_MS = 100;
/** Waiting jobs that are taken in hand in each window in any case. */
const MIN_WAITING = 32;
/** New jobs for each further waiting job. */
const NEW_PER_WAITING = 4;

/** The jobs that a busy process has taken in hand lately. */
export class RetryShare {
  #windowEndsAtMs = 0;
  #fresh = 0;
  #waiting = 0;

  /** A new job is taken in hand. */
  fresh(nowMs: number): void {
    this.#turnOver(nowMs);
    this.#fresh += 1;
  }

  /** True: a waiting job may be taken in hand, and is counted. */
  takeWaiting(nowMs: number): boolean {
    this.#turnOver(nowMs);
    if (this.#waiting >= Math.max(MIN_WAITING, this.#fresh / NEW_PER_WAITING)) return false;
    this.#waiting += 1;
    return true;
  }

  #turnOver(nowMs: number): void {
    if (nowMs < this.#windowEndsAtMs && nowMs > this.#windowEndsAtMs - 2 * WINDOW_MS) return;
    this.#windowEndsAtMs = nowMs + WINDOW_MS;
    this.#fresh = 0;
    this.#waiting = 0;
  }
}
