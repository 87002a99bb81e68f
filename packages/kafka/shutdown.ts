import type { Host } from "#host";
import type { KafkaError } from "./errors.ts";

/**
 * The end of a thing in which others wait: what waits then rejects at once. Not `Promise.race` with a promise that outlives the
 * wait: that one would keep every answer in memory.
 */
export class Shutdown {
  readonly #host: Host;
  #why: KafkaError | undefined;
  readonly #waiting = new Set<(why: KafkaError) => void>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Why it has ended; undefined before. */
  get why(): KafkaError | undefined {
    return this.#why;
  }

  /** The first reason counts. */
  end(why: KafkaError): void {
    this.#why ??= why;
    for (const reject of this.#waiting) reject(this.#why);
    this.#waiting.clear();
  }

  /** Settles as `work`, or rejects at the end. */
  async or<R>(work: Promise<R>): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>();
    if (this.#why === undefined) this.#waiting.add(reject);
    else reject(this.#why);
    work.then(resolve, reject);
    try {
      return await promise;
    } finally {
      this.#waiting.delete(reject);
    }
  }

  async pause(delayMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#host.setTimeout(resolve, delayMs);
    try {
      await this.or(promise);
    } finally {
      timer.clear();
    }
  }
}
