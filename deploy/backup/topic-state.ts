import type { Kafka, RawRecord } from "#kafka";

/** A topic as it was at one moment: of each key the last record, a tombstone too. */
export interface TopicState {
  readonly records: ReadonlyMap<string, RawRecord>;
  /** By partition the first offset that is not in it. */
  readonly ends: readonly number[];
}

/** Reads the topic to its end, in no consumer group. */
export async function readTopic(
  kafka: Kafka,
  topic: string,
  onRecord?: (record: RawRecord) => void,
): Promise<TopicState> {
  const records = new Map<string, RawRecord>();
  const bounds = await kafka.admin().offsets(topic);
  for (const { partition, low, high } of bounds) {
    await kafka.readRange({
      ...{ topic, partition, fromOffset: low, toOffset: high },
      onRecord(record) {
        if (record.key !== null) records.set(record.key, record);
        onRecord?.(record);
      },
    });
  }
  return { records, ends: bounds.map(({ high }) => high) };
}
