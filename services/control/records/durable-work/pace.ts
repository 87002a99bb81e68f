import type { Host } from "#host";

/** So that a call waits behind ten notifications at most, not behind those of a second. */
const STEPS_PER_SECOND = 20;
/** So many records are made at a time. */
const MAX_STEP_CALLS = 500;

/** The one pace of a process: however many regulations it works on, they share it in the order in which they ask. */
export class Pace {
  readonly #host: Pick<Host, "delay" | "elapsed">;
  readonly #callsPerSecond: number;
  #freeAtMs = 0;

  constructor(callsPerSecond: number, host: Pick<Host, "delay" | "elapsed">) {
    this.#callsPerSecond = callsPerSecond;
    this.#host = host;
  }

  /** Calls that are to be written at once. */
  get stepCalls(): number {
    return Math.min(Math.max(1, Math.floor(this.#callsPerSecond / STEPS_PER_SECOND)), MAX_STEP_CALLS);
  }

  /** Resolves when so many calls may be written; rejects with the signal. */
  async turn(calls: number, signal: AbortSignal): Promise<void> {
    const nowMs = this.#host.elapsed();
    const atMs = Math.max(nowMs, this.#freeAtMs);
    this.#freeAtMs = atMs + (calls / this.#callsPerSecond) * 1_000;
    if (atMs > nowMs) await this.#host.delay(atMs - nowMs, signal);
  }
}
