import type { Host } from "#host";

export interface HeartbeatsParts {
  readonly host: Host;
  readonly everyMs: number;
  send(): Promise<void>;
  /** Makes a loop that waits for something to read come to `whenDue`. */
  interrupt(): void;
}

/** When a member says that it is there: by the loops that fetch, one heartbeat at a time. */
export class Heartbeats {
  readonly #parts: HeartbeatsParts;
  #sentAtMs: number;
  #sending: Promise<void> | undefined;
  #isPlanned = false;
  #isStopped = false;

  constructor(parts: HeartbeatsParts) {
    this.#parts = parts;
    this.#sentAtMs = parts.host.elapsed();
  }

  get isDue(): boolean {
    return this.inMs <= 0;
  }

  /** How long it is until the next one; negative when it is overdue. */
  get inMs(): number {
    const { everyMs, host } = this.#parts;
    return this.#sentAtMs + everyMs - host.elapsed();
  }

  /** Sends one if it is time to; resolves when it is answered, undefined when none was sent. Not async, as it is asked after each fetch. */
  whenDue(): Promise<void> | undefined {
    if (!this.isDue) return undefined;
    this.#sending ??= this.#send();
    return this.#sending;
  }

  /** Interrupts a loop when the next one is due. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    const { host } = this.#parts;
    host.setTimeout(
      () => {
        this.#isPlanned = false;
        if (this.#isStopped) return;
        // What was planned for an earlier heartbeat than the latest comes too early.
        if (this.isDue) this.#parts.interrupt();
        else this.plan();
      },
      Math.max(1, this.inMs),
    );
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #send(): Promise<void> {
    try {
      await this.#parts.send();
    } finally {
      this.#sending = undefined;
    }
    this.#sentAtMs = this.#parts.host.elapsed();
    this.plan();
  }
}
