// Regulations as their topic holds them: what was asked for, and how far it is.
import type { PartitionWriter, Producer, Table } from "#kafka";
import type { Serde } from "#serde";
import type { Regulation, Topic } from "#topics";
import { byAge } from "../../http/pages.ts";
import { OldestFirst } from "../../records/oldest-first.ts";
import { hasEnded } from "./regulation.ts";

export interface RegulationStore {
  /** False for the first moments of a process, in which not every regulation is known. */
  readonly isLoaded: boolean;
  get(id: string): Regulation | undefined;
  /** Oldest first. */
  list(): Regulation[];
  /** Resolves when what other processes wrote before the call can be read; waits while Kafka is away. */
  refresh(): Promise<void>;
  /** Resolves when the suppressions of every older regulation are written: the newest one is the last word about a user. */
  untilOlderAreWritten(regulation: Regulation, signal: AbortSignal): Promise<void>;
  /**
   * Resolves when it is on all in-sync replicas and `get` gives this one or a later one. Rejects with a KafkaError, also while the topic has lost its
   * records. A producer writes it unless `writer` is given.
   */
  put(regulation: Regulation, writer?: PartitionWriter): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface RegulationStoreParts {
  readonly topic: Topic<"regulation">;
  readonly table: Pick<
    Table<Regulation>,
    "get" | "entries" | "load" | "loaded" | "look" | "onChange" | "until"
  >;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
}

type Entry = Parameters<PartitionWriter["send"]>[0];

const VISIBLE_WITHIN_MS = 10_000;
/** How soon one who waits sees that it has to end. */
const LOOK_MS = 1_000;

export function createRegulationStore({
  topic,
  table,
  producer,
  serde,
}: RegulationStoreParts): RegulationStore {
  const oldestFirst = OldestFirst.of(table);
  /** One record in a topic that was lost would make it look whole (decision 118). */
  async function write(entries: readonly Entry[], writer?: PartitionWriter): Promise<void> {
    await table.look();
    if (writer === undefined) await producer.send(entries.map((entry) => ({ topic: topic.name, ...entry })));
    else for (const entry of entries) await writer.send(entry);
  }

  return {
    get isLoaded() {
      return table.loaded;
    },
    get: (id) => table.get(id),
    list: () => oldestFirst.list(),
    refresh: () => table.load(),
    async untilOlderAreWritten(regulation, signal) {
      const isFirst = (): boolean =>
        !oldestFirst
          .list()
          .some((other) => !other.isSuppressionDone && !hasEnded(other) && byAge(other, regulation) < 0);
      while (!isFirst()) {
        signal.throwIfAborted();
        await table.until(isFirst, LOOK_MS).catch(() => undefined);
      }
    },
    async put(regulation, writer) {
      await write([{ key: regulation.id, value: serde.encode(topic, regulation) }], writer);
      const isVisible = (): boolean => (table.get(regulation.id)?.updatedAtMs ?? 0) >= regulation.updatedAtMs;
      await table.until(isVisible, VISIBLE_WITHIN_MS);
    },
    remove: (ids) => write(ids.map((key) => ({ key, value: null }))),
  };
}
