import type { Host } from "#host";

/** One fetch's wait. */
interface FetchWait {
  /** Nobody waits any more for what the fetch brings. */
  readonly isEnded: boolean;
}

/** The fetches of one consumer that wait for records at brokers. */
export class FetchWaits {
  readonly #ends = new Set<() => void>();
  readonly #host: Pick<Host, "setImmediate">;
  #isClosed = false;

  constructor(host: Pick<Host, "setImmediate">) {
    this.#host = host;
  }

  /** Runs the fetch; undefined when the wait is ended before. */
  async run<R>(fetch: (wait: FetchWait) => Promise<R>): Promise<R | undefined> {
    if (this.#isClosed) return undefined;
    const ended = Promise.withResolvers<undefined>();
    const wait = { isEnded: false };
    const end = (): void => {
      wait.isEnded = true;
      ended.resolve(undefined);
    };
    this.#ends.add(end);
    try {
      return await Promise.race([fetch(wait), ended.promise]);
    } catch (thrown) {
      this.endSoon();
      throw thrown;
    } finally {
      this.#ends.delete(end);
    }
  }

  /** All that wait now come back with nothing. What they brought would be fetched again. */
  end(): void {
    for (const end of this.#ends) end();
  }

  /** The same when the client has stopped its loops, as it does after a failure of one: it goes on when all of them have ended. */
  endSoon(): void {
    this.#host.setImmediate(() => this.end());
  }

  /** The same, and no fetch begins any more. */
  close(): void {
    this.#isClosed = true;
    this.end();
  }
}
