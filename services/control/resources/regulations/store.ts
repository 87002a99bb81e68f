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
   * records. A writer of its own writes it unless one is given.
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
  /** Kafka takes what it sends once: a producer sends again what may be there, and a regulation would begin anew behind what its owner has noted. */
  readonly newWriter: () => Promise<PartitionWriter>;
  readonly serde: Pick<Serde, "encode">;
}

const VISIBLE_WITHIN_MS = 10_000;
/** How soon one who waits sees that it has to end. */
const LOOK_MS = 1_000;

export function createRegulationStore({
  topic,
  table,
  producer,
  newWriter,
  serde,
}: RegulationStoreParts): RegulationStore {
  const oldestFirst = OldestFirst.of(table);
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
    async put(regulation, given) {
      const writer = given ?? (await newWriter());
      // One record in a topic that was lost would make it look whole (decision 118).
      await table.look();
      await writer.send({ key: regulation.id, value: serde.encode(topic, regulation) });
      const isVisible = (): boolean => (table.get(regulation.id)?.updatedAtMs ?? 0) >= regulation.updatedAtMs;
      await table.until(isVisible, VISIBLE_WITHIN_MS);
    },
    async remove(ids) {
      await table.look();
      await producer.send(ids.map((key) => ({ topic: topic.name, key, value: null })));
    },
  };
}
