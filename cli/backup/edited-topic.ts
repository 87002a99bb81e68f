// A topic that control edits through a table writer (decision 75), held by a restore in the same way: while it decides about a key
// and writes it, nobody else can. Control takes the partition back for its next edit, and has read everything by then.
import { type Kafka, KafkaError, type PartitionWriter, type RawRecord } from "#kafka";

/** A try to take a partition ends after it. */
const TIMEOUT_MS = 20_000;
/** The number of times that somebody else may come between one entry's decision and its write. */
const TRIES = 20;

/** Null for an end that is still in the log, undefined where there is nothing. */
type Current = RawRecord["value"] | undefined;

export interface EditedTopic {
  /** Resolves with what `change` said. It is called again, with what the key has then, when somebody else wrote to its partition meanwhile. */
  change<R>(key: string, change: (current: Current, only: PartitionWriter) => Promise<R>): Promise<R>;
  close(): Promise<void>;
}

/** Reads the topic to its end. */
export async function openEditedTopic(kafka: Kafka, topic: string): Promise<EditedTopic> {
  const ended = new Set<string>();
  const table = kafka.table<Buffer | undefined>({ topic, decode: ({ value }) => value ?? undefined });
  table.onChange((key, value) => (value === undefined ? ended.add(key) : ended.delete(key)));
  await table.load();
  const writer = kafka.tableWriter({ topic, table, timeoutMs: TIMEOUT_MS });
  return {
    change: (key, change) =>
      untilNotFenced(async () => {
        const only = await writer.take(key);
        return await change(ended.has(key) ? null : table.get(key), only);
      }),
    close: () => table.close(),
  };
}

async function untilNotFenced<R>(work: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof KafkaError) || error.code !== "fenced" || tries === TRIES) throw error;
    }
  }
}
