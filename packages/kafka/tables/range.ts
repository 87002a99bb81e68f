import type { Host } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import type { Bounds, FetchClient, Fetched } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import { Shutdown } from "../shutdown.ts";
import type { KafkaLogger, ReadRangeOptions } from "../types.ts";

const RETRY_MS = { first: 50, max: 1_000 };

/**
 * Tries for errors that the client calls final, and for a topic that is gone: both are seen while brokers
 * come and go.
 */
const FINAL_AFTER_FAILURES = 8;

/**
 * Answers in a row without a record (2 s) after which the reading checks that the log still reaches so far.
 */
const LOOK_AFTER_EMPTY = 20;

export interface RangeParts {
  readonly client: FetchClient;
  readonly logger: KafkaLogger;
  readonly host: Host;
  /** Aborted when the way to Kafka is closed. */
  readonly closing: AbortSignal;
}

/** Reads one stretch of one partition from its leader, in no consumer group (fact 15), and goes on where it was after each failure. */
export async function readRange(parts: RangeParts, options: ReadRangeOptions): Promise<void> {
  const reading = new RangeReading(parts, options);
  try {
    await reading.run();
  } finally {
    reading.end();
  }
}

class RangeReading {
  readonly #parts: RangeParts;
  readonly #options: ReadRangeOptions;
  readonly #ending: Shutdown;
  readonly #stop = (): void => this.#ending.end(this.#stopError());
  /** First offset not read. */
  #next: number;
  #end: number;

  constructor(parts: RangeParts, options: ReadRangeOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#ending = new Shutdown(parts.host);
    this.#next = options.fromOffset;
    this.#end = options.toOffset;
    for (const signal of this.#signals()) {
      signal.addEventListener("abort", this.#stop);
      if (signal.aborted) this.#stop();
    }
  }

  async run(): Promise<void> {
    if (this.#options.areEndsKnown !== true) await this.#clamp();
    let empty = 0;
    while (this.#next < this.#end) {
      const fetched = await this.#persistently(() => this.#fetch());
      if (fetched.kind === "records") await this.#take(fetched);
      empty = fetched.kind === "nothing" ? empty + 1 : 0;
      if (fetched.kind === "out_of_range" || empty >= LOOK_AFTER_EMPTY) {
        await this.#clamp();
        empty = 0;
      }
    }
  }

  end(): void {
    for (const signal of this.#signals()) signal.removeEventListener("abort", this.#stop);
  }

  #signals(): AbortSignal[] {
    const { signal } = this.#options;
    return signal === undefined ? [this.#parts.closing] : [this.#parts.closing, signal];
  }

  #stopError(): KafkaError {
    const { topic, partition, signal } = this.#options;
    const code = this.#parts.closing.aborted ? "closed" : "aborted";
    const message = `reading ${topic}-${partition} was ended`;
    return new KafkaError(code, message, { canRetry: false, cause: signal?.reason });
  }

  /** Takes what the log has between the ends: retention may have moved one of them, a lost leader the other. */
  async #clamp(): Promise<void> {
    const { low, high } = await this.#persistently(() => this.#bounds());
    const removed = Math.min(low, this.#end) - this.#next;
    if (removed > 0) this.#options.onRemoved?.(removed);
    this.#next = Math.max(this.#next, low);
    this.#end = Math.min(this.#end, high);
  }

  async #bounds(): Promise<Bounds> {
    const { topic, partition } = this.#options;
    const bounds = await this.#parts.client.bounds({ topic, partition });
    if (bounds !== undefined) return bounds;
    throw new KafkaError("unknown_topic", `${topic} has no partition ${partition}`, { canRetry: false });
  }

  /** A leader that finds the offset out of range although it is not has just become one, or is no longer. */
  async #fetch(): Promise<Fetched> {
    const { topic, partition } = this.#options;
    const fetched = await this.#parts.client.fetch({ topic, partition }, this.#next);
    if (fetched.kind !== "out_of_range") return fetched;
    const { low, high } = await this.#bounds();
    if (this.#next < low || this.#next >= high) return fetched;
    const message = `${topic}-${partition}: ${this.#next} is out of range and between ${low} and ${high}`;
    throw new KafkaError("unavailable", message, { canRetry: true });
  }

  async #take({ records, nextOffset }: Extract<Fetched, { kind: "records" }>): Promise<void> {
    for (const record of records) {
      // A broker answers with whole batches: there may be records on both sides of the stretch.
      if (record.offset < this.#next) continue;
      if (record.offset >= this.#end) break;
      if (this.#ending.why !== undefined) throw this.#ending.why;
      const taken = this.#options.onRecord(record);
      if (taken !== undefined) await taken;
    }
    this.#next = Math.max(this.#next, nextOffset);
  }

  /** Tries until it succeeds, with a growing pause; ends at once when the reading shall end. */
  async #persistently<R>(work: () => Promise<R>): Promise<R> {
    for (let failures = 0; ; ) {
      try {
        return await this.#ending.or(work());
      } catch (thrown) {
        const error = fromClientError(thrown);
        failures += 1;
        if (this.#ending.why !== undefined || isFinal(error, failures)) throw error;
        this.#report(error, failures);
        await this.#ending.pause(backoffMs(failures, RETRY_MS, this.#parts.host));
        await this.#ending.or(this.#parts.client.renew());
      }
    }
  }

  #report({ message }: KafkaError, failures: number): void {
    if (!isWorthLogging(failures)) return;
    const { topic, partition } = this.#options;
    const facts = { topic, partition, offset: this.#next, failures, error: message };
    this.#parts.logger.warn(facts, "a stretch of a partition cannot be read yet");
  }
}

function isFinal(error: KafkaError, failures: number): boolean {
  if (error.code === "unknown_topic" && !error.canRetry) return true;
  const isPassing = error.canRetry && error.code !== "unknown_topic";
  return !isPassing && (error.code === "not_authorized" || failures >= FINAL_AFTER_FAILURES);
}
