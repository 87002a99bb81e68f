import type { Host, Timer } from "#host";

/** A party that waits for room. */
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
  #early = 0;
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

  /** Work begins on a record ahead of its turn: it takes no room, and `empty` waits for it. The returned function ends it, called once. */
  early(): () => void {
    this.#early += 1;
    return () => {
      this.#early -= 1;
      this.#emptied();
    };
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
    this.#emptied();
    if (this.#waiting.size > 0) this.#wake ??= this.#host.setImmediate(() => this.#wakeWaiters());
  }

  /** Resolves when nothing is outstanding, and no work is under way ahead of its turn. */
  empty(): Promise<void> {
    if (this.#isEmpty) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onEmpty.add(resolve);
    return promise;
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  get #isEmpty(): boolean {
    return this.#records === 0 && this.#early === 0;
  }

  #emptied(): void {
    if (!this.#isEmpty) return;
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
