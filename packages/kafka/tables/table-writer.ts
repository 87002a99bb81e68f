import type { Host } from "#host";
import { backoffMs } from "../backoff.ts";
import type { BatchProducer, Cluster, ProduceClient } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { MetadataCache } from "../producing/metadata.ts";
import { partitionOfKey } from "../producing/partitioner.ts";
import type { PartitionWriter, TableWriter, TableWriterOptions } from "../table-types.ts";
import type { OutgoingRecord } from "../types.ts";
import { fencedMark, openedMark } from "./open-writers.ts";

/** A leader refuses every other epoch of the same id after it. */
const LAST_EPOCH = 32_767;

/**
 * The age until which a mark is relied on. The leader forgets an id a day after its last record
 * (producer.id.expiration.ms), and compaction removes its mark after days (TOMBSTONES_KEPT_MS): nobody could
 * fence the writer then.
 */
const MARK_HOLDS_MS = 3_600_000;

const RETRY_MS = { first: 50, max: 1_000 };

export interface TableWriterParts {
  readonly cluster: Pick<Cluster, "newProducerId">;
  readonly client: ProduceClient;
  readonly metadata: Pick<MetadataCache, "partitionCount" | "fetch">;
  readonly host: Pick<Host, "delay" | "elapsed" | "random" | "setTimeout">;
}

/** A writer's hold on a partition. */
interface Taken {
  readonly writer: MarkedWriter;
  readonly sinceMs: number;
}

/**
 * A compare-and-set made of what Kafka has. A writer of a partition writes a mark to it with a producer id of
 * its own and reads up to it. It then fences the ids of all marks before it: it writes to the partition with
 * their ids and the last epoch, after which the leader refuses them. From there on what it has read is all
 * that there is, until somebody fences it.
 */
export class MarkingTableWriter implements TableWriter {
  readonly #parts: TableWriterParts;
  readonly #options: TableWriterOptions;
  readonly #taken = new Map<number, Taken>();

  constructor(parts: TableWriterParts, options: TableWriterOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async take(key: string): Promise<PartitionWriter> {
    const { host } = this.#parts;
    const { timeoutMs } = this.#options;
    const endMs = host.elapsed() + timeoutMs;
    // A topic that lost all it held would look whole with one record in it, or one mark.
    await inTime(this.#options.table.look(), timeoutMs, host);
    const partition = partitionOfKey(key, await this.#persistently(() => this.#partitionCount(), endMs));
    const taken = this.#taken.get(partition);
    if (taken !== undefined && this.#isTheOnlyOne(partition, taken)) return taken.writer;
    this.#taken.delete(partition);
    const sinceMs = host.elapsed();
    const writer = await this.#open(partition, endMs);
    this.#taken.set(partition, { writer, sinceMs });
    return writer;
  }

  #isTheOnlyOne(partition: number, { writer, sinceMs }: Taken): boolean {
    const [id, ...others] = this.#options.table.openWriters(partition);
    const isNew = this.#parts.host.elapsed() - sinceMs < MARK_HOLDS_MS;
    return isNew && !writer.isSpent && writer.id === id && others.length === 0;
  }

  async #open(partition: number, endMs: number): Promise<MarkedWriter> {
    const near = { topic: this.#options.topic, partition };
    const id = await this.#persistently(() => this.#parts.cluster.newProducerId(near), endMs);
    const writer = this.#writer(partition, { id, epoch: 0 });
    const open = (): readonly string[] => this.#options.table.openWriters(partition);
    await this.#mark(writer, openedMark(id), () => open().includes(id));
    for (const other of open().slice(0, -1)) {
      if (open().at(-1) !== id) break;
      const fence = this.#writer(partition, { id: other, epoch: LAST_EPOCH });
      await this.#mark(fence, fencedMark(other), () => !open().includes(other));
    }
    if (open().at(-1) !== id) throw fenced(`another process has taken ${near.topic}-${partition}`);
    return writer;
  }

  /** Resolves when the table has read the mark, and so everything before it. */
  async #mark(writer: MarkedWriter, key: string, isRead: () => boolean): Promise<void> {
    const { table, timeoutMs } = this.#options;
    // Waited for from the begin: what a mark says may be over when its acknowledgement comes.
    await Promise.all([table.until(isRead, timeoutMs), writer.send({ key, value: null })]);
  }

  #writer(partition: number, producer: Pick<BatchProducer, "id" | "epoch">): MarkedWriter {
    const { topic, timeoutMs } = this.#options;
    return new MarkedWriter(this.#parts, { topic, partition, producer, timeoutMs });
  }

  async #partitionCount(): Promise<number> {
    const { metadata } = this.#parts;
    const { topic } = this.#options;
    if (metadata.partitionCount(topic) === undefined) await metadata.fetch(topic);
    return metadata.partitionCount(topic) ?? 0;
  }

  async #persistently<R>(work: () => Promise<R>, endMs: number): Promise<R> {
    const { host } = this.#parts;
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
}

interface MarkedWriterOptions {
  readonly topic: string;
  readonly partition: number;
  readonly producer: Pick<BatchProducer, "id" | "epoch">;
  readonly timeoutMs: number;
}

/** Writes one record after the other with one producer id. A leader takes a record once, however often it is sent. */
class MarkedWriter implements PartitionWriter {
  readonly #parts: TableWriterParts;
  readonly #options: MarkedWriterOptions;
  #sequence = 0;
  #isSpent = false;

  constructor(parts: TableWriterParts, options: MarkedWriterOptions) {
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

  async send(record: Pick<OutgoingRecord, "key" | "value">): Promise<void> {
    if (this.#isSpent) throw fenced(`the hold on ${this.#options.topic} is over`);
    this.#isSpent = true;
    const { host } = this.#parts;
    await inTime(this.#persistently(record), this.#options.timeoutMs, host);
    this.#sequence += 1;
    this.#isSpent = false;
  }

  async #persistently(record: Pick<OutgoingRecord, "key" | "value">): Promise<void> {
    const { client, host } = this.#parts;
    const endMs = host.elapsed() + this.#options.timeoutMs;
    for (let failures = 1; ; failures += 1) {
      const error = await this.#try(record);
      if (error === undefined) return;
      // An earlier try whose answer was lost may have been written before somebody fenced this writer.
      if (error.code === "fenced" && failures > 1) throw unanswered("it is not known whether it was written");
      if (!error.canRetry || host.elapsed() >= endMs) throw error;
      if (failures > 1) client.reset();
      await host.delay(backoffMs(failures, RETRY_MS, host));
    }
  }

  /** Returns why it was not written, as far as is known. */
  async #try(record: Pick<OutgoingRecord, "key" | "value">): Promise<KafkaError | undefined> {
    const { topic, partition, producer } = this.#options;
    const records = [{ record: { topic, ...record } }];
    const stamped = { ...producer, sequence: this.#sequence };
    try {
      const [outcome] = await this.#parts.client.send([{ topic, partition, records, producer: stamped }]);
      return outcome === undefined ? unanswered("no answer names the partition (fact 1)") : outcome.error;
    } catch (thrown) {
      return fromClientError(thrown);
    }
  }
}

function fenced(message: string): KafkaError {
  return new KafkaError("fenced", message, { canRetry: false });
}

function unanswered(message: string): KafkaError {
  return new KafkaError("delivery_timeout", message, { canRetry: true });
}

/** Settles as `work`; rejects when that takes longer. */
async function inTime<R>(work: Promise<R>, timeoutMs: number, host: Pick<Host, "setTimeout">): Promise<R> {
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
