import type { Capacity, Waiter } from "./capacity.ts";

/** The work under way in one partition. */
export class UnderWay {
  readonly #capacity: Capacity;
  readonly #onEnded: () => void;
  readonly #maxUnwritten: number;
  #records = 0;
  #unwritten = 0;
  /** Waits until less is unwritten. */
  #waiter: Waiter | undefined;

  /** `onEnded` is called when the work on a record has ended. */
  constructor(capacity: Capacity, maxUnwritten: number, onEnded: () => void) {
    this.#capacity = capacity;
    this.#onEnded = onEnded;
    this.#maxUnwritten = maxUnwritten;
  }

  get isAny(): boolean {
    return this.#records > 0;
  }

  /** Begins a work if there is capacity, as `Capacity.tryTake`, and not too much is unwritten. */
  tryBegin(sizeBytes: number, waiter: Waiter): boolean {
    if (this.#unwritten >= this.#maxUnwritten) {
      this.#waiter = waiter;
      return false;
    }
    if (!this.#capacity.tryTake(sizeBytes, waiter)) return false;
    this.#records += 1;
    return true;
  }

  writing(): void {
    this.#unwritten += 1;
  }

  written(): void {
    this.#unwritten -= 1;
    const waiter = this.#waiter;
    this.#waiter = undefined;
    waiter?.onRoom();
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
