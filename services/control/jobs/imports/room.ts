// How many rows are compared side by side: their users are in memory meanwhile.
import type { Host } from "#host";

/** Two of the largest imports: mostly 128 MB, and at most 240 MB. */
const MOST_ROWS = 10_000_000;
const LOOK_MS = 1_000;

/** Of all imports of a process. */
export class ComparisonRoom {
  readonly #host: Pick<Host, "delay">;
  #rows = 0;

  constructor(host: Pick<Host, "delay">) {
    this.#host = host;
  }

  /** Works when there is room beside what is compared by then; small imports pass large ones that wait. Rejects with `signal` before. */
  async occupy(rows: number, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    while (this.#rows > 0 && this.#rows + rows > MOST_ROWS) await this.#host.delay(LOOK_MS, signal);
    this.#rows += rows;
    try {
      await work();
    } finally {
      this.#rows -= rows;
    }
  }
}
