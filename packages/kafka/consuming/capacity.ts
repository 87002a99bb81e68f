import type { Host, Timer } from "#host";

/** One who waits for room. */
export interface Waiter {
  onRoom(): void;
}

/** The bound on what is taken and not settled, over all partitions of one reader. */
export class Capacity {
  readonly #maxRecords: number;
  readonly #maxBytes: number;
  readonly #waiting = new Set<Waiter>();
  readonly #host: Host;
  #records = 0;
  #bytes = 0;
  #wake: Timer | undefined;
  readonly #onEmpty = new Set<() => void>();

  constructor(maxRecords: number, maxBytes: number, host: Host) {
    this.#host = host;
    this.#maxRecords = maxRecords;
    this.#maxBytes = maxBytes;
  }

  get outstanding(): { readonly records: number; readonly bytes: number } {
    return { records: this.#records, bytes: this.#bytes };
  }

  /** Takes room, or remembers who asked. Anything fits when nothing is outstanding: a huge record must not wait for ever. */
  tryTake(sizeBytes: number, waiter: Waiter): boolean {
    const isFull =
      this.#records > 0 && (this.#records >= this.#maxRecords || this.#bytes + sizeBytes > this.#maxBytes);
    if (isFull) {
      this.#waiting.add(waiter);
      return false;
    }
    this.#records += 1;
    this.#bytes += sizeBytes;
    return true;
  }

  /** Calls the waiters in a later turn, the longest waiting first. A waiter that asks again goes to the end of the line. */
  release(sizeBytes: number): void {
    this.#records -= 1;
    this.#bytes -= sizeBytes;
    if (this.#records === 0) this.#emptied();
    if (this.#waiting.size > 0) this.#wake ??= this.#host.setImmediate(() => this.#wakeWaiters());
  }

  /** Resolves when nothing is outstanding. */
  empty(): Promise<void> {
    if (this.#records === 0) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty.add(resolve);
    return promise;
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  #emptied(): void {
    for (const resolve of this.#onEmpty) resolve();
    this.#onEmpty.clear();
  }

  #wakeWaiters(): void {
    this.#wake = undefined;
    const waiters = [...this.#waiting];
    this.#waiting.clear();
    for (const waiter of waiters) waiter.onRoom();
  }
}
