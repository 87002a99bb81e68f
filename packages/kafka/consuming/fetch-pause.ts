/**
 * Bytes held: fetching stops above the first and goes on below the second. What is held then lasts until the resume takes effect:
 * 256 KiB of 0.6 KiB records in 250 ms are 1,700 records a second and partition.
 */
const HOLD_BYTES = { pauseAbove: 512 * 1024, resumeBelow: 256 * 1024 };

/** Stops the fetching of one partition while too much of it is held. */
export class FetchPause {
  readonly #setPaused: (paused: boolean) => void;
  #isPaused = false;

  constructor(setPaused: (paused: boolean) => void) {
    this.#setPaused = setPaused;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  regulate(heldBytes: number): void {
    const paused = heldBytes > (this.#isPaused ? HOLD_BYTES.resumeBelow : HOLD_BYTES.pauseAbove);
    if (paused === this.#isPaused) return;
    this.#setPaused(paused);
    this.#isPaused = paused;
  }

  /** Nothing is held any more, and nobody fetches. */
  reset(): void {
    this.#isPaused = false;
  }
}
