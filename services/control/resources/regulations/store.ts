// Regulations as their topic holds them: what was asked for, and how far it is.
import type { Producer, Table } from "#kafka";
import type { Serde } from "#serde";
import type { Regulation, Topic } from "#topics";
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
  /** Resolves when it is on all in-sync replicas. Rejects with a KafkaError, also while the topic has lost its records. */
  put(regulation: Regulation): Promise<void>;
  /** As `put`, and `get` gives this one or a later one. */
  putVisibly(regulation: Regulation): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export interface RegulationStoreParts {
  readonly topic: Topic<"regulation">;
  readonly table: Pick<Table<Regulation>, "get" | "entries" | "load" | "loaded" | "look" | "until">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode">;
}

const VISIBLE_WITHIN_MS = 10_000;
/** How soon one who waits sees that it has to end. */
const LOOK_MS = 1_000;

export function createRegulationStore({
  topic,
  table,
  producer,
  serde,
}: RegulationStoreParts): RegulationStore {
  const all = (): Regulation[] => [...table.entries()].map(([, regulation]) => regulation);
  /** One record in a topic that was lost would make it look whole (decision 118). */
  async function write(entries: readonly (readonly [id: string, value: Buffer | null])[]): Promise<void> {
    await table.look();
    await producer.send(entries.map(([key, value]) => ({ topic: topic.name, key, value })));
  }
  const put = (regulation: Regulation): Promise<void> =>
    write([[regulation.id, serde.encode(topic, regulation)]]);

  return {
    get isLoaded() {
      return table.loaded;
    },
    get: (id) => table.get(id),
    list: () => all().sort(byAge),
    refresh: () => table.load(),
    async untilOlderAreWritten(regulation, signal) {
      const isFirst = (): boolean =>
        !all().some((other) => !other.isSuppressionDone && !hasEnded(other) && byAge(other, regulation) < 0);
      while (!isFirst()) {
        signal.throwIfAborted();
        await table.until(isFirst, LOOK_MS).catch(() => undefined);
      }
    },
    put,
    async putVisibly(regulation) {
      await put(regulation);
      const isVisible = (): boolean => (table.get(regulation.id)?.updatedAtMs ?? 0) >= regulation.updatedAtMs;
      await table.until(isVisible, VISIBLE_WITHIN_MS);
    },
    remove: (ids) => write(ids.map((id) => [id, null])),
  };
}

function byAge(one: Regulation, other: Regulation): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
