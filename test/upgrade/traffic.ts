// Calls at a steady rate, sent as SDKs behind a load balancer send them: to any process of ingest, and again until one answers 200.
import { setTimeout as delay } from "node:timers/promises";
import { sendCall } from "#support/api";

const TRY_AGAIN_MS = 200;
const TIMEOUT_TRIES = 300;

export interface TrafficOptions {
  readonly writeKey: string;
  readonly callsPerSecond: number;
  /** Of the processes of ingest that run now. */
  readonly urls: () => readonly string[];
}

export class Traffic {
  readonly #options: TrafficOptions;
  readonly #accepted = new Set<string>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #resent = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Users whose call was answered 200. */
  get accepted(): ReadonlySet<string> {
    return this.#accepted;
  }

  /** Tries that got no 200. */
  get resent(): number {
    return this.#resent;
  }

  /** Resolves when every call that was begun has been answered 200. Rejects when one is not. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    for (let number = 1; !this.#stopping.signal.aborted; number += 1) {
      const sending = this.#send(number);
      this.#underWay.add(sending);
      sending.then(
        () => this.#underWay.delete(sending),
        // Stays, for whoever stops.
        () => undefined,
      );
      await delay(1_000 / this.#options.callsPerSecond);
    }
  }

  async #send(number: number): Promise<void> {
    const userId = `u${number}`;
    const body = { userId, messageId: `m${number}`, traits: { plan: "pro" } };
    for (let tries = 0; tries < TIMEOUT_TRIES; tries += 1) {
      const urls = this.#options.urls();
      const url = urls[(number + tries) % urls.length] ?? "";
      const { writeKey } = this.#options;
      const answer = await sendCall(url, { route: "identify", writeKey, body }).catch(() => undefined);
      if (answer?.status === 200) {
        this.#accepted.add(userId);
        return;
      }
      this.#resent += 1;
      await delay(TRY_AGAIN_MS);
    }
    throw new Error(`no ingest took the call of ${userId}`);
  }
}
