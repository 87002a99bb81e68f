import type { Capacity, Waiter } from "./capacity.ts";

/** What of one partition is worked on. */
export class UnderWay {
  readonly #capacity: Capacity;
  readonly #onEnded: () => void;
  #records = 0;

  /** `onEnded` is called when the work on a record has ended. */
  constructor(capacity: Capacity, onEnded: () => void) {
    this.#capacity = capacity;
    this.#onEnded = onEnded;
  }

  get isAny(): boolean {
    return this.#records > 0;
  }

  /** As `Capacity.tryTake`. */
  tryBegin(sizeBytes: number, waiter: Waiter): boolean {
    if (!this.#capacity.tryTake(sizeBytes, waiter)) return false;
    this.#records += 1;
    return true;
  }

  end(sizeBytes: number): void {
    this.#capacity.release(sizeBytes);
    this.#ended();
  }

  /** As `Capacity.early`. */
  early(): () => void {
    const over = this.#capacity.early();
    this.#records += 1;
    return () => {
      over();
      this.#ended();
    };
  }

  #ended(): void {
    this.#records -= 1;
    this.#onEnded();
  }
}
