import type { Connection } from "../connection.ts";
import { FetchPace } from "./fetch-pace.ts";
import { type Fetched, type FetchedFrom, FetchWait } from "./fetch-wait.ts";

export interface FetchWaitsOptions {
  readonly groupId: string;
  readonly unhurriedTopics: readonly string[];
  readonly fetchPauseMs: () => number;
}

/**
 * The fetches of one consumer that wait at brokers. The client's come back each time that they have waited for as long as they may; these stay until
 * there is a reason to come back, which is then kept to the client's times.
 */
export class FetchWaits {
  readonly #connection: Connection;
  readonly #options: FetchWaitsOptions;
  readonly #paces = new Map<number, FetchPace>();
  /** With the time when each began. */
  readonly #waits = new Map<FetchWait, number>();
  #isClosed = false;

  constructor(connection: Connection, options: FetchWaitsOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  async run(
    broker: number,
    { asked, maxWaitMs }: { readonly asked: readonly FetchedFrom[]; readonly maxWaitMs: number },
  ): Promise<readonly Fetched[]> {
    const wait = new FetchWait(this.#connection, broker, { asked, maxWaitMs, pace: this.#pace(broker) });
    this.#waits.set(wait, this.#connection.host.elapsed());
    try {
      const ended = wait.run(this.#options.groupId);
      if (this.#isClosed) wait.end();
      return await ended;
    } finally {
      this.#waits.delete(wait);
    }
  }

  /** Ends one of them, so that its loop does something else; false when none can be ended. */
  endOne(): boolean {
    for (const wait of this.#waits.keys()) if (wait.end()) return true;
    return false;
  }

  /** Ends every one at the end of what would be the client's longest wait. */
  endInTime(): void {
    const { host } = this.#connection;
    for (const [wait, beganAtMs] of this.#waits) {
      if (wait.isEnding) continue;
      wait.isEnding = true;
      const waitedMs = (host.elapsed() - beganAtMs) % wait.maxWaitMs;
      host.setTimeout(() => wait.end(), wait.maxWaitMs - waitedMs);
    }
  }

  /** Ends every one now; what they bring is nobody's. */
  abandon(): void {
    for (const wait of this.#waits.keys()) wait.abandon();
  }

  close(): void {
    this.#isClosed = true;
    for (const wait of this.#waits.keys()) wait.end();
  }

  #pace(broker: number): FetchPace {
    let pace = this.#paces.get(broker);
    if (pace === undefined) {
      pace = new FetchPace(new Set(this.#options.unhurriedTopics), this.#options.fetchPauseMs);
      this.#paces.set(broker, pace);
    }
    return pace;
  }
}
