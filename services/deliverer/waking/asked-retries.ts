import type { Host } from "#host";
import type { DestinationState } from "../destinations.ts";
import type { EndpointQueues } from "../endpoints/endpoint-queues.ts";
import type { Waker } from "./waker.ts";

/** Longer than any retry delay by default: what has waited since then has come out by itself. */
const KEPT_MS = 30 * 60_000;

/** What processes put off that had not heard of a pause's end is in the retry topics after this time. */
const LOOK_AGAIN_MS = 2_000;

export interface AskedRetriesOptions {
  readonly host: Pick<Host, "delay">;
  /** Aborted when the process ends. */
  readonly stopping: AbortSignal;
  readonly nowMs: () => number;
  readonly destinations: { state(destinationId: string): DestinationState };
  readonly queues: Pick<EndpointQueues, "askForProbe">;
  /** undefined: nothing is read yet. */
  waker(): Pick<Waker, "asked"> | undefined;
}

/**
 * Destinations whose waiting calls somebody wants to be sent now. The configuration holds what was asked for, so a process that died
 * meanwhile, or gets a partition of another, goes on with it; a call that has failed since is not meant any more.
 */
export class AskedRetries {
  readonly #options: AskedRetriesOptions;
  /** By destination, before which time its calls must have failed. */
  readonly #asked = new Map<string, number>();

  constructor(options: AskedRetriesOptions) {
    this.#options = options;
  }

  /** `askedAtMs` is of another machine's clock. */
  add(destinationId: string, askedAtMs: number): void {
    const { nowMs, waker } = this.#options;
    const isLive = waker() !== undefined;
    const failedBeforeMs = isLive ? Math.max(askedAtMs, nowMs()) : askedAtMs;
    this.#asked.set(destinationId, failedBeforeMs);
    if (!isLive) return;
    this.#wake(destinationId, failedBeforeMs);
    void this.#wakeLater(destinationId, failedBeforeMs);
  }

  /** This process has other partitions now. */
  again(): void {
    for (const [destinationId, failedBeforeMs] of this.#asked) {
      if (failedBeforeMs < this.#options.nowMs() - KEPT_MS) this.#asked.delete(destinationId);
      else this.#wake(destinationId, failedBeforeMs);
    }
  }

  async #wakeLater(destinationId: string, failedBeforeMs: number): Promise<void> {
    const { host, stopping, waker } = this.#options;
    await host.delay(LOOK_AGAIN_MS, stopping).catch(() => undefined);
    if (!stopping.aborted) waker()?.asked(destinationId, failedBeforeMs);
  }

  #wake(destinationId: string, failedBeforeMs: number): void {
    const { destinations, queues, waker } = this.#options;
    const state = destinations.state(destinationId);
    if (state.kind !== "active") return;
    for (const { endpoint } of state.webhooks.values()) queues.askForProbe(endpoint);
    waker()?.asked(destinationId, failedBeforeMs);
  }
}
