import type { Host, Timer } from "#host";
import { backoffMs } from "../backoff.ts";

const RETRY_MS = { first: 50, max: 1_000 };

interface Lane {
  inFlight: number;
  failures: number;
  /** Set while the broker is left alone after a failure. */
  pause: Timer | undefined;
}

/** Per broker: how many requests are under way and whether it is being left alone after a failure. */
export class BrokerLanes {
  readonly #maxInFlight: number;
  readonly #onOpen: () => void;
  readonly #lanes = new Map<number, Lane>();
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
    const { inFlight, pause } = this.#lane(broker);
    return pause === undefined && inFlight < this.#maxInFlight;
  }

  enter(broker: number): void {
    this.#lane(broker).inFlight += 1;
    this.#inFlight += 1;
  }

  leave(broker: number): void {
    this.#lane(broker).inFlight -= 1;
    this.#inFlight -= 1;
  }

  succeeded(broker: number): void {
    this.#lane(broker).failures = 0;
  }

  /** Closes the lane for a growing while; returns the failures in a row. */
  failed(broker: number): number {
    const lane = this.#lane(broker);
    lane.failures += 1;
    lane.pause?.clear();
    lane.pause = this.#host.setTimeout(
      () => {
        lane.pause = undefined;
        this.#onOpen();
      },
      backoffMs(lane.failures, RETRY_MS, this.#host),
    );
    return lane.failures;
  }

  close(): void {
    for (const lane of this.#lanes.values()) lane.pause?.clear();
  }

  #lane(broker: number): Lane {
    let lane = this.#lanes.get(broker);
    if (lane === undefined) {
      lane = { inFlight: 0, failures: 0, pause: undefined };
      this.#lanes.set(broker, lane);
    }
    return lane;
  }
}
