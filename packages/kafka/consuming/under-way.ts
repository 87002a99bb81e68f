import type { Capacity, Waiter } from "./capacity.ts";

/** The work under way in one partition. */
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

  /** Begins a work if there is capacity, as `Capacity.tryTake`. */
  tryBegin(sizeBytes: number, waiter: Waiter): boolean {
    if (!this.#capacity.tryTake(sizeBytes, waiter)) return false;
    this.#records += 1;
    return true;
  }

  end(sizeBytes: number): void {
    this.#capacity.release(sizeBytes);
    this.#ended();
  }

  /** Begins a work early, as `Capacity.early`. */
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
