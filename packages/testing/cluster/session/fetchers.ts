import { ClusterError } from "../errors.ts";
import type { Batch } from "./consumer-group.ts";
import { keyOf } from "./places.ts";

/** The known brokers have changed: every broker needs a fetcher. */
class OtherBrokers extends Error {
  override readonly name = "OtherBrokers";
}

export interface FetchersParts {
  brokerIds(): readonly number[];
  /** `isWanted` tells whether anybody still waits for it. */
  fetch(broker: number, isWanted: () => boolean): Promise<readonly Batch[]>;
  handle(batch: Batch): Promise<void>;
  /** Fetches that wait come back with nothing, now or when they have waited for as long as they may. */
  endWaits(when: "now" | "in time"): void;
}

interface Fetcher {
  isRunning: boolean;
  readonly ended: Promise<void>;
}

/** One loop per broker, and one queue of what they bring: batches are handed on one at a time. */
export class Fetchers {
  readonly #parts: FetchersParts;
  #fetchers: Fetcher[] = [];
  /** Ends when everything that was queued before is handed on. */
  #queue: Promise<void> = Promise.resolve();
  /** Who hands a partition on. */
  readonly #handing = new Map<string, number>();

  constructor(parts: FetchersParts) {
    this.#parts = parts;
  }

  /** Rejects when one of them fails, once all have ended. */
  async run(): Promise<void> {
    for (;;) {
      const brokers = this.#parts.brokerIds();
      if (brokers.length === 0) throw ClusterError.noBroker();
      this.#handing.clear();
      const failed = Promise.withResolvers<never>();
      this.#fetchers = brokers.map((broker) => this.#start(broker, brokers, failed.reject));
      const ended = Promise.all(this.#fetchers.map((fetcher) => fetcher.ended));
      try {
        await Promise.race([ended, failed.promise]);
        return;
      } catch (thrown) {
        await this.stop(thrown instanceof OtherBrokers ? "in time" : "now");
        if (!(thrown instanceof OtherBrokers)) throw thrown;
      }
    }
  }

  async stop(when: "now" | "in time" = "now"): Promise<void> {
    for (const fetcher of this.#fetchers) fetcher.isRunning = false;
    this.#parts.endWaits(when);
    await Promise.all(this.#fetchers.map((fetcher) => fetcher.ended));
  }

  #start(broker: number, brokers: readonly number[], onFailed: (thrown: unknown) => void): Fetcher {
    const ended = Promise.withResolvers<void>();
    const fetcher: Fetcher = { isRunning: true, ended: ended.promise };
    const loop = async (): Promise<void> => {
      try {
        while (fetcher.isRunning) await this.#round(broker, brokers, fetcher);
      } catch (thrown) {
        fetcher.isRunning = false;
        onFailed(thrown);
      }
      ended.resolve();
    };
    void loop();
    return fetcher;
  }

  async #round(broker: number, brokers: readonly number[], fetcher: Fetcher): Promise<void> {
    const current = this.#parts.brokerIds();
    if (current !== brokers && current.length > 0 && current.join() !== brokers.join())
      throw new OtherBrokers();
    const batches = await this.#parts.fetch(broker, () => fetcher.isRunning);
    if (!fetcher.isRunning || batches.length === 0) return;
    const mine = batches.filter((batch) => (this.#handing.get(keyOf(batch)) ?? broker) === broker);
    if (mine.length === 0) return;
    for (const batch of mine) this.#handing.set(keyOf(batch), broker);
    try {
      await this.#hand(mine);
    } finally {
      for (const batch of mine) this.#handing.delete(keyOf(batch));
    }
  }

  /** All are handed on, then the first failure is told. */
  async #hand(batches: readonly Batch[]): Promise<void> {
    const before = this.#queue;
    const done = Promise.withResolvers<void>();
    this.#queue = done.promise;
    await before;
    const failures: unknown[] = [];
    for (const batch of batches) {
      try {
        await this.#parts.handle(batch);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
    done.resolve();
    if (failures.length > 0) throw failures[0];
  }
}
