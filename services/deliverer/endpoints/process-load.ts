// The load of the process itself, so that no endpoint is blamed for it. Pure.

/** The most that waits may grow from one sweep to the next. */
const MAX_STEP_MS = 200;
/**
 * A busy process takes as much in hand as it gets done in this time, and at least so many. The longest waits are some three times as long, and a
 * wait of 2 s ends in a retry topic.
 */
const BUSY_WAIT_MS = 500;
const BUSY_MIN_WAITING = 256;

export class ProcessLoad {
  #sweptAtMs: number | undefined;
  #livedAtSweepMs = 0;
  #isBusy = false;
  #ended = 0;
  #endedPerMs = 0;

  /** It is itself what everything waits for. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Time as the process has lived it: between two sweeps, a tenth of a second apart, at most twice that passes. */
  livedMs(nowMs: number): number {
    this.#sweptAtMs ??= nowMs;
    return this.#livedAtSweepMs + Math.max(0, Math.min(nowMs - this.#sweptAtMs, MAX_STEP_MS));
  }

  ended(): void {
    this.#ended += 1;
  }

  sweep(nowMs: number, isBusy: boolean): void {
    const sinceMs = nowMs - (this.#sweptAtMs ?? nowMs);
    this.#livedAtSweepMs = this.livedMs(nowMs);
    this.#sweptAtMs = nowMs;
    this.#isBusy = isBusy;
    if (sinceMs <= 0) return;
    this.#endedPerMs = (this.#endedPerMs + this.#ended / sinceMs) / 2;
    this.#ended = 0;
  }

  /** Tells whether a busy process has as many waiting as it will get done soon. */
  isEnough(waiting: number): boolean {
    return this.#isBusy && waiting >= Math.max(BUSY_MIN_WAITING, this.#endedPerMs * BUSY_WAIT_MS);
  }
}
