import type { Host, Timer } from "#host";

/** The longest wait for a due time before it is looked at again, so that a moved clock is noticed. */
const MAX_DUE_WAIT_MS = 1_000;

/** The next look at the head of a partition, where none is to be taken before. */
export class NextLook {
  readonly #host: Pick<Host, "setImmediate" | "setTimeout">;
  /** Made once: a turn and a timer end alike. */
  readonly #look: () => void;
  #timer: Timer | undefined;

  constructor(host: Pick<Host, "setImmediate" | "setTimeout">, look: () => void) {
    this.#host = host;
    this.#look = () => {
      this.#timer = undefined;
      look();
    };
  }

  get isAwaited(): boolean {
    return this.#timer !== undefined;
  }

  inNextTurn(): void {
    this.#timer = this.#host.setImmediate(this.#look);
  }

  in(delayMs: number): void {
    this.cancel();
    this.#timer = this.#host.setTimeout(this.#look, delayMs);
  }

  whenDue(waitMs: number): void {
    this.in(Math.min(waitMs, MAX_DUE_WAIT_MS));
  }

  cancel(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }
}
