// Writes with a producer id and an epoch (KIP-98): a leader takes each record once, and refuses an epoch after a later one.
import type { Host } from "#host";
import { backoffMs } from "../backoff.ts";
import type { BatchProducer, Cluster, ProduceClient } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { MetadataCache } from "../producing/metadata.ts";
import type { PartitionWriter } from "../table-types.ts";
import type { OutgoingRecord } from "../types.ts";

/** A leader refuses every other epoch of the same id after it. */
export const LAST_EPOCH = 32_767;

const RETRY_MS = { first: 50, max: 1_000 };

type Written = Pick<OutgoingRecord, "key" | "value">;

export interface StampedWriterParts {
  readonly client: ProduceClient;
  readonly host: Pick<Host, "delay" | "elapsed" | "random" | "setTimeout">;
}

/** What it takes to begin with an id that nobody has had. */
export interface NewWriterParts extends StampedWriterParts {
  readonly cluster: Pick<Cluster, "newProducerId">;
  readonly metadata: Pick<MetadataCache, "partitionCount" | "fetch">;
}

export interface StampedWriterOptions {
  readonly topic: string;
  readonly partition: number;
  readonly producer: Pick<BatchProducer, "id" | "epoch">;
  readonly timeoutMs: number;
}

/** Writes to one partition with one producer id, one `send` after the other. A leader takes a record once, however often it is sent. */
export class StampedWriter implements PartitionWriter {
  readonly #parts: StampedWriterParts;
  readonly #options: StampedWriterOptions;
  #sequence = 0;
  #isSpent = false;

  constructor(parts: StampedWriterParts, options: StampedWriterOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  get id(): string {
    return this.#options.producer.id;
  }

  /** Something was refused, or nobody knows what became of it: nothing more is written with the id. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  send(record: Written): Promise<void> {
    return this.sendAll([record]);
  }

  async sendAll(records: readonly Written[]): Promise<void> {
    if (this.#isSpent) throw fenced(`the hold on ${this.#options.topic} is over`);
    this.#isSpent = true;
    const { host } = this.#parts;
    await inTime(this.#persistently(records), this.#options.timeoutMs, host);
    this.#sequence += records.length;
    this.#isSpent = false;
  }

  async #persistently(records: readonly Written[]): Promise<void> {
    const { client, host } = this.#parts;
    const endMs = host.elapsed() + this.#options.timeoutMs;
    for (let failures = 1; ; failures += 1) {
      const error = await this.#try(records);
      if (error === undefined) return;
      // An earlier try whose answer was lost may have been written before somebody fenced this writer.
      if (error.code === "fenced" && failures > 1) throw unanswered("it is not known whether it was written");
      if (!error.canRetry || host.elapsed() >= endMs) throw error;
      if (failures > 1) client.reset();
      await host.delay(backoffMs(failures, RETRY_MS, host));
    }
  }

  /** Returns why it was not written, as far as is known. */
  async #try(given: readonly Written[]): Promise<KafkaError | undefined> {
    const { topic, partition, producer } = this.#options;
    const records = given.map((record) => ({ record: { topic, ...record } }));
    const stamped = { ...producer, sequence: this.#sequence };
    try {
      const [outcome] = await this.#parts.client.send([{ topic, partition, records, producer: stamped }]);
      return outcome === undefined ? unanswered("no answer names the partition (fact 1)") : outcome.error;
    } catch (thrown) {
      return fromClientError(thrown);
    }
  }
}

export function fenced(message: string): KafkaError {
  return new KafkaError("fenced", message, { canRetry: false });
}

function unanswered(message: string): KafkaError {
  return new KafkaError("delivery_timeout", message, { canRetry: true });
}

/** Settles as `work`; rejects when that takes longer. */
export async function inTime<R>(
  work: Promise<R>,
  timeoutMs: number,
  host: Pick<Host, "setTimeout">,
): Promise<R> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = host.setTimeout(
    () => reject(unanswered(`no acknowledgement within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    timer.clear();
  }
}

/** Tries until it succeeds, cannot, or `endMs` is over. */
export async function persistently<R>(
  work: () => Promise<R>,
  endMs: number,
  host: StampedWriterParts["host"],
): Promise<R> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await inTime(work(), endMs - host.elapsed(), host);
    } catch (thrown) {
      const error = fromClientError(thrown);
      if (!error.canRetry || host.elapsed() >= endMs) throw error;
      await host.delay(backoffMs(failures, RETRY_MS, host));
    }
  }
}

/** Asks Kafka where it is not known. */
export async function partitionCountOf(topic: string, metadata: NewWriterParts["metadata"]): Promise<number> {
  if (metadata.partitionCount(topic) === undefined) await metadata.fetch(topic);
  return metadata.partitionCount(topic) ?? 0;
}
