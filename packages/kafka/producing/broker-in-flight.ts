import type { Host, Timer } from "#host";
import { backoffMs } from "../backoff.ts";

export const RETRY_MS = { first: 50, max: 1_000 };

interface Broker {
  inFlight: number;
  failures: number;
  /** Set while the broker is left alone after a failure. */
  pause: Timer | undefined;
}

/** The requests under way by broker, and whether it is being left alone after a failure. */
export class BrokerInFlight {
  readonly #maxInFlight: number;
  readonly #onOpen: () => void;
  readonly #brokers = new Map<number, Broker>();
  readonly #host: Host;
  #inFlight = 0;

  constructor(maxInFlight: number, onOpen: () => void, host: Host) {
    this.#host = host;
    this.#maxInFlight = maxInFlight;
    this.#onOpen = onOpen;
  }

  /** Requests under way to all brokers. */
  get inFlight(): number {
    return this.#inFlight;
  }

  isOpen(broker: number): boolean {
    const { inFlight, pause } = this.#brokerOf(broker);
    return pause === undefined && inFlight < this.#maxInFlight;
  }

  enter(broker: number): void {
    this.#brokerOf(broker).inFlight += 1;
    this.#inFlight += 1;
  }

  leave(broker: number): void {
    this.#brokerOf(broker).inFlight -= 1;
    this.#inFlight -= 1;
  }

  succeeded(broker: number): void {
    this.#brokerOf(broker).failures = 0;
  }

  /** Leaves the broker alone for a growing while; returns the failures in a row. */
  failed(broker: number): number {
    const state = this.#brokerOf(broker);
    state.failures += 1;
    state.pause?.clear();
    state.pause = this.#host.setTimeout(
      () => {
        state.pause = undefined;
        this.#onOpen();
      },
      backoffMs(state.failures, RETRY_MS, this.#host),
    );
    return state.failures;
  }

  close(): void {
    for (const state of this.#brokers.values()) state.pause?.clear();
  }

  #brokerOf(broker: number): Broker {
    let state = this.#brokers.get(broker);
    if (state === undefined) {
      state = { inFlight: 0, failures: 0, pause: undefined };
      this.#brokers.set(broker, state);
    }
    return state;
  }
}
