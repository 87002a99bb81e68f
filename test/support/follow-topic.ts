import type { Kafka, Producer, RawRecord, Received } from "#kafka";

interface Wire {
  readonly kafka: Pick<Kafka, "runner">;
  readonly producer: Producer;
}

/** Collects what is written to a topic, in the order of its partitions, until it is stopped. */
export async function followTopic<T>(
  { kafka, producer }: Wire,
  topic: string,
  decode: (record: RawRecord) => T | Promise<T>,
) {
  const seen: Received<T>[] = [];
  const runner = kafka.runner({
    groupId: `${topic}-test`,
    topics: [topic],
    decode,
    step(record: Received<T>, settle) {
      seen.push(record);
      settle({ produce: [] });
    },
    deadLetter: () => [],
    producer,
    maxOutstandingRecords: 1_000,
    maxOutstandingBytes: 1_000_000,
  });
  await runner.start();
  return { seen, stop: () => runner.stop(1_000) };
}
