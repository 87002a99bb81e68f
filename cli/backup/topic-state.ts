import { type Kafka, type OpenRestore, OpenRestores, type RawRecord } from "#kafka";

/** A topic as it was at one moment: of each key the last record, a tombstone too. */
export interface TopicState {
  readonly records: ReadonlyMap<string, RawRecord>;
  /** The first offset that is not in it, by partition. */
  readonly ends: readonly number[];
  /** Restores of it that have begun and not ended; `records` has none of their marks. */
  readonly openRestores: readonly OpenRestore[];
}

/** Reads the topic to its end, in no consumer group. */
export async function readTopic(
  kafka: Kafka,
  topic: string,
  onRecord?: (record: RawRecord) => void,
): Promise<TopicState> {
  const records = new Map<string, RawRecord>();
  const read = await readEntries(kafka, topic, (record) => {
    if (record.key !== null) records.set(record.key, record);
    onRecord?.(record);
  });
  return { records, ...read };
}

/** Restores of the topic that have begun and not ended. It is read whole, and nothing of it kept. */
export async function openRestores(kafka: Kafka, topic: string): Promise<readonly OpenRestore[]> {
  return (await readEntries(kafka, topic, () => undefined)).openRestores;
}

async function readEntries(
  kafka: Kafka,
  topic: string,
  onEntry: (record: RawRecord) => void,
): Promise<Pick<TopicState, "ends" | "openRestores">> {
  const restores = new OpenRestores();
  const bounds = await kafka.admin().offsets(topic);
  for (const { partition, low, high } of bounds) {
    await kafka.readRange({
      ...{ topic, partition, fromOffset: low, toOffset: high },
      onRecord(record) {
        if (!restores.observe(record)) onEntry(record);
      },
    });
  }
  return { ends: bounds.map(({ high }) => high), openRestores: restores.open };
}
