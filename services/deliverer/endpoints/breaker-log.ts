// Reports the circuit breakers of this process to control. Nothing here belongs to a call's durability.
import type { EndpointBreaker } from "#topics";
import type { EndpointQueues } from "./endpoint-queues.ts";
import type { BreakerStanding } from "./parts.ts";

/** The most changes in one record; the rest follows a moment later. */
const MAX_CHANGES = 1_000;
/** The pause before what Kafka refused is written again. */
const AGAIN_AFTER_MS = 30_000;

export interface BreakerLogOptions {
  readonly queues: Pick<EndpointQueues, "takeChangedBreakers" | "breakerOf">;
  /** The writer, named as in the records of attempts. */
  readonly writer: string;
  readonly nowMs: () => number;
  /** The queues' clock. */
  readonly elapsedMs: () => number;
  /** Resolves when Kafka has them; rejects when it never will. */
  readonly write: (records: readonly EndpointBreaker[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/**
 * Writes a breaker when it stands otherwise than as it was written last; one that was never open is never written. One batch is under way
 * at a time: while Kafka is away changes of an endpoint meet in its next record, and memory is one entry for each endpoint that is not well.
 * Where Kafka refuses a change and has an older state than closed, the change is written again: nobody else would take that state back.
 */
export class BreakerLog {
  readonly #options: BreakerLogOptions;
  /** The last written state of breakers that are not closed. */
  readonly #written = new Map<string, BreakerStanding>();
  /** Those of whose breaker Kafka has an older state. */
  readonly #refused = new Set<string>();
  #againAtMs = 0;
  #isWriting = false;

  constructor(options: BreakerLogOptions) {
    this.#options = options;
  }

  /** Writes changes. Call it a few times a second: an endpoint is written at most that often. */
  flush(): void {
    if (this.#isWriting) return;
    const { queues } = this.#options;
    const endpoints = new Set([...queues.takeChangedBreakers(MAX_CHANGES), ...this.#takeRefused()]);
    const changed = [...endpoints]
      .map((endpoint) => ({ endpoint, standing: queues.breakerOf(endpoint) }))
      .filter(({ endpoint, standing }) => !isSame(this.#written.get(endpoint), standing));
    void this.#write(changed);
  }

  #takeRefused(): readonly string[] {
    if (this.#refused.size === 0 || this.#options.elapsedMs() < this.#againAtMs) return [];
    const endpoints = [...this.#refused].slice(0, MAX_CHANGES);
    for (const endpoint of endpoints) this.#refused.delete(endpoint);
    return endpoints;
  }

  /** The process ends, and its breakers with it. */
  end(): void {
    const closed = [...this.#written.keys()].map((endpoint) => ({ endpoint, standing: CLOSED }));
    void this.#write(closed);
  }

  async #write(changed: readonly { endpoint: string; standing: BreakerStanding }[]): Promise<void> {
    if (changed.length === 0) return;
    this.#isWriting = true;
    const before = changed.map(({ endpoint }) => this.#written.get(endpoint));
    for (const { endpoint, standing } of changed) this.#set(endpoint, standing);
    const records = changed.map(({ endpoint, standing }) => this.#recordOf(endpoint, standing));
    try {
      await this.#options.write(records);
    } catch (error) {
      // Refused for good, as without the right to write.
      for (const [at, { endpoint }] of changed.entries()) this.#refuse(endpoint, before[at]);
      this.#againAtMs = this.#options.elapsedMs() + AGAIN_AFTER_MS;
      this.#options.onError(error);
    } finally {
      this.#isWriting = false;
    }
  }

  #set(endpoint: string, standing: BreakerStanding): void {
    if (standing.state === "closed") this.#written.delete(endpoint);
    else this.#written.set(endpoint, standing);
  }

  #refuse(endpoint: string, before: BreakerStanding = CLOSED): void {
    this.#set(endpoint, before);
    if (before.state !== "closed") this.#refused.add(endpoint);
  }

  #recordOf(url: string, { state, untilMs }: BreakerStanding): EndpointBreaker {
    const { elapsedMs, nowMs, writer } = this.#options;
    const atMs = nowMs();
    const nextProbeAtMs = state === "open" ? Math.round(atMs + Math.max(0, untilMs - elapsedMs())) : null;
    return { url, writer, state, nextProbeAtMs, atMs };
  }
}

const CLOSED: BreakerStanding = { state: "closed", untilMs: 0 };

function isSame(written: BreakerStanding = CLOSED, now: BreakerStanding): boolean {
  return written.state === now.state && (now.state !== "open" || written.untilMs === now.untilMs);
}
