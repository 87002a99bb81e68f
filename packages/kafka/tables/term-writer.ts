// Writes of work that passes from owner to owner. A record of the work says its term: an id that no other work has, and an epoch that each owner
// raises, durably, before it writes. Each writes again what is not noted; from its first write to a partition on the leader refuses what an
// earlier owner still has under way to it, however late that comes. Before that, what comes late says the same.
import { partitionOfKey } from "../producing/partitioner.ts";
import type { TermWriter, WriterTerm } from "../table-types.ts";
import type { OutgoingRecord } from "../types.ts";
import {
  LAST_EPOCH,
  type NewWriterParts,
  partitionCountOf,
  persistently,
  StampedWriter,
} from "./stamped-writer.ts";

/** The longest wait for an answer, unless given. */
const TIMEOUT_MS = 30_000;

/** The term after `before`, the first one where that is undefined. `topic` is one that is written to. */
export async function nextTerm(
  topic: string,
  before: WriterTerm | undefined,
  { cluster, host }: Pick<NewWriterParts, "cluster" | "host">,
  timeoutMs = TIMEOUT_MS,
): Promise<WriterTerm> {
  if (before !== undefined && before.epoch < LAST_EPOCH) return { ...before, epoch: before.epoch + 1 };
  const newId = (): Promise<string> => cluster.newProducerId({ topic, partition: 0 });
  return { id: await persistently(newId, host.elapsed() + timeoutMs, host), epoch: 0 };
}

export class StampedTermWriter implements TermWriter {
  readonly #parts: Omit<NewWriterParts, "cluster">;
  readonly #term: WriterTerm;
  readonly #timeoutMs: number;
  /** By topic and partition. */
  readonly #writers = new Map<string, StampedWriter>();

  constructor(parts: Omit<NewWriterParts, "cluster">, term: WriterTerm, timeoutMs = TIMEOUT_MS) {
    this.#parts = parts;
    this.#term = term;
    this.#timeoutMs = timeoutMs;
  }

  async send(records: readonly OutgoingRecord[]): Promise<void> {
    const byTopic = Map.groupBy(records, ({ topic }) => topic);
    await Promise.all(Array.from(byTopic, ([topic, ofTopic]) => this.#sendTo(topic, ofTopic)));
  }

  async #sendTo(topic: string, records: readonly OutgoingRecord[]): Promise<void> {
    const { host, metadata } = this.#parts;
    const count = () => partitionCountOf(topic, metadata);
    const partitions = await persistently(count, host.elapsed() + this.#timeoutMs, host);
    const byWriter = Map.groupBy(records, ({ key }) =>
      this.#writerOf(topic, partitionOfKey(key ?? "", partitions)),
    );
    await Promise.all(Array.from(byWriter, ([writer, given]) => writer.sendAll(given)));
  }

  #writerOf(topic: string, partition: number): StampedWriter {
    const place = `${topic} ${partition}`;
    const known = this.#writers.get(place);
    if (known !== undefined) return known;
    const of = { topic, partition, producer: this.#term, timeoutMs: this.#timeoutMs };
    const writer = new StampedWriter(this.#parts, of);
    this.#writers.set(place, writer);
    return writer;
  }
}
