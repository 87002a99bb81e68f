// Writes of work that passes from owner to owner. A record of the work says its term: an id that no other work has, and an epoch that each owner
// raises, durably, before it writes. Each writes again what is not noted; from its first write to a partition on the leader refuses what an
// earlier owner still has under way to it, however late that comes. Before that, what comes late says the same.
import type { Cluster } from "../cluster.ts";
import type { MetadataCache } from "../producing/metadata.ts";
import { partitionOfKey } from "../producing/partitioner.ts";
import type { TermWriter, WriterTerm } from "../table-types.ts";
import type { OutgoingRecord } from "../types.ts";
import {
  LAST_EPOCH,
  partitionCountOf,
  persistently,
  StampedWriter,
  type StampedWriterParts,
} from "./stamped-writer.ts";

/** The longest wait for an acknowledgement. */
const TIMEOUT_MS = 30_000;

interface TermParts extends StampedWriterParts {
  readonly cluster: Pick<Cluster, "newProducerId">;
  readonly metadata: Pick<MetadataCache, "partitionCount" | "fetch">;
}

/** The term after `before`, the first one where that is undefined. `topic` is one that is written to. */
export async function nextTerm(
  topic: string,
  before: WriterTerm | undefined,
  { cluster, host }: Pick<TermParts, "cluster" | "host">,
): Promise<WriterTerm> {
  if (before !== undefined && before.epoch < LAST_EPOCH) return { ...before, epoch: before.epoch + 1 };
  const newId = (): Promise<string> => cluster.newProducerId({ topic, partition: 0 });
  return { id: await persistently(newId, host.elapsed() + TIMEOUT_MS, host), epoch: 0 };
}

export class StampedTermWriter implements TermWriter {
  readonly #parts: Omit<TermParts, "cluster">;
  readonly #term: WriterTerm;
  /** By topic and partition. */
  readonly #writers = new Map<string, StampedWriter>();

  constructor(parts: Omit<TermParts, "cluster">, term: WriterTerm) {
    this.#parts = parts;
    this.#term = term;
  }

  async send(records: readonly OutgoingRecord[]): Promise<void> {
    const { host, metadata } = this.#parts;
    const endMs = host.elapsed() + TIMEOUT_MS;
    const byWriter = new Map<StampedWriter, OutgoingRecord[]>();
    for (const [topic, ofTopic] of Map.groupBy(records, (record) => record.topic)) {
      const partitions = await persistently(() => partitionCountOf(topic, metadata), endMs, host);
      for (const record of ofTopic) {
        const writer = this.#writerOf(topic, partitionOfKey(record.key ?? "", partitions));
        byWriter.set(writer, [...(byWriter.get(writer) ?? []), record]);
      }
    }
    await Promise.all(Array.from(byWriter, ([writer, given]) => writer.sendAll(given)));
  }

  #writerOf(topic: string, partition: number): StampedWriter {
    const place = `${topic} ${partition}`;
    const known = this.#writers.get(place);
    if (known !== undefined) return known;
    const of = { topic, partition, producer: this.#term, timeoutMs: TIMEOUT_MS };
    const writer = new StampedWriter(this.#parts, of);
    this.#writers.set(place, writer);
    return writer;
  }
}
