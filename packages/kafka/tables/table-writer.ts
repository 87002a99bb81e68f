import type { BatchProducer } from "../cluster.ts";
import { partitionOfKey } from "../producing/partitioner.ts";
import type { PartitionWriter, TableWriter, TableWriterOptions } from "../table-types.ts";
import { fencedMark, openedMark } from "./open-writers.ts";
import {
  fenced,
  inTime,
  LAST_EPOCH,
  type NewWriterParts,
  partitionCountOf,
  persistently,
  StampedWriter,
} from "./stamped-writer.ts";

/**
 * The age until which a mark is relied on. The leader forgets an id a day after its last record
 * (producer.id.expiration.ms), and compaction removes its mark after days (TOMBSTONES_KEPT_MS): nobody could
 * fence the writer then.
 */
const MARK_HOLDS_MS = 3_600_000;

/** A writer's hold on a partition. */
interface Taken {
  readonly writer: StampedWriter;
  readonly sinceMs: number;
}

/**
 * A compare-and-set made of what Kafka has. A writer of a partition writes a mark to it with a producer id of
 * its own and reads up to it. It then fences the ids of all marks before it: it writes to the partition with
 * their ids and the last epoch, after which the leader refuses them. From there on what it has read is all
 * that there is, until somebody fences it.
 */
export class MarkingTableWriter implements TableWriter {
  readonly #parts: NewWriterParts;
  readonly #options: TableWriterOptions;
  readonly #taken = new Map<number, Taken>();

  constructor(parts: NewWriterParts, options: TableWriterOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  async take(key: string): Promise<PartitionWriter> {
    const { host, metadata } = this.#parts;
    const { timeoutMs, topic } = this.#options;
    const endMs = host.elapsed() + timeoutMs;
    // A topic that lost all it held would look whole with one record in it, or one mark.
    await inTime(this.#options.table.look(), timeoutMs, host);
    const partition = partitionOfKey(
      key,
      await persistently(() => partitionCountOf(topic, metadata), endMs, host),
    );
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

  async #open(partition: number, endMs: number): Promise<StampedWriter> {
    const { cluster, host } = this.#parts;
    const near = { topic: this.#options.topic, partition };
    const id = await persistently(() => cluster.newProducerId(near), endMs, host);
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
  async #mark(writer: StampedWriter, key: string, isRead: () => boolean): Promise<void> {
    const { table, timeoutMs } = this.#options;
    // Waited for from the begin: what a mark says may be over when its acknowledgement comes.
    await Promise.all([table.until(isRead, timeoutMs), writer.send({ key, value: null })]);
  }

  #writer(partition: number, producer: Pick<BatchProducer, "id" | "epoch">): StampedWriter {
    const { topic, timeoutMs } = this.#options;
    return new StampedWriter(this.#parts, { topic, partition, producer, timeoutMs });
  }
}
