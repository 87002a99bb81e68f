import type kafkajs from "kafkajs";
import type { CommittedOffset } from "../session.ts";

/** Commits as the client sends them. */
export function committedByTopic(
  places: readonly CommittedOffset[],
): kafkajs.OffsetsByTopicPartition["topics"] {
  const byTopic = Map.groupBy(places, ({ topic }) => topic);
  return Array.from(byTopic, ([topic, ofTopic]) => ({
    topic,
    partitions: ofTopic.map(({ metadata, offset, partition }) => ({
      partition,
      offset: String(offset),
      metadata,
    })),
  }));
}
