// Configuration as the API sees it: a compacted topic, written with acks=all and read back as a table.
import type { PartitionWriter, Producer, Table } from "#kafka";
import type { Serde } from "#serde";
import type { RecordTypes, Topic } from "#topics";

export type ConfigName =
  | "source-config"
  | "destination-config"
  | "audience-config"
  | "membership-import"
  | "connection-sync";

export interface ConfigStore<V> {
  get(id: string): V | undefined;
  readonly size: number;
  /** Resolves when what other processes wrote before the call can be read; waits while Kafka is away. */
  refresh(): Promise<void>;
  /** Resolves when the record is on all in-sync replicas and `get` gives it. Rejects with a KafkaError. A producer writes it unless `writer` is given. */
  put(value: V, writer?: PartitionWriter): Promise<void>;
  /** Resolves when the tombstone is on all in-sync replicas and `get` gives nothing any more. Rejects with a KafkaError. */
  remove(id: string, writer: PartitionWriter): Promise<void>;
}

interface StoreOptions<R extends ConfigName> {
  readonly topic: Topic<R>;
  readonly table: Pick<Table<RecordTypes[R]>, "get" | "load" | "size" | "until">;
  readonly producer: Producer;
  readonly serde: Serde;
}

/** What was acknowledged is read back within milliseconds; more than this means that the consumer has lost its session. */
const VISIBLE_WITHIN_MS = 10_000;

export function createConfigStore<R extends ConfigName>(
  options: StoreOptions<R>,
): ConfigStore<RecordTypes[R]> {
  const { topic, table, producer, serde } = options;
  return {
    get: (id) => table.get(id),
    get size() {
      return table.size;
    },
    refresh: () => table.load(),
    async put(value, writer) {
      const record = { key: value.id, value: serde.encode(topic, value) };
      if (writer === undefined) await producer.send([{ topic: topic.name, ...record }]);
      else await writer.send(record);
      // Another process may have written a later version meanwhile: that is visible enough.
      await table.until(() => newnessOf(table.get(value.id)) >= newnessOf(value), VISIBLE_WITHIN_MS);
    },
    async remove(id, writer) {
      await writer.send({ key: id, value: null });
      await table.until(() => table.get(id) === undefined, VISIBLE_WITHIN_MS);
    },
  };
}

type Changed = { readonly version: number } | { readonly updatedAtMs: number };

/** Grows with each change of one entry. */
function newnessOf(value: Changed | undefined): number {
  if (value === undefined) return 0;
  return "version" in value ? value.version : value.updatedAtMs;
}
