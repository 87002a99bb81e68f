// Offsets of several topics in one request to each broker: the client's own admin asks for one topic at a time.
import type kafkajs from "kafkajs";
import type { PartitionOffsets } from "../admin-types.ts";
import { type ClusterAdmin, NO_LEADER } from "../cluster.ts";

/** First and next offsets by topic, of the partitions that have a leader. */
export async function offsetsOf(
  cluster: kafkajs.Cluster,
  topics: readonly string[],
): Promise<Map<string, PartitionOffsets[]>> {
  const asked = await wantedOf(cluster, topics);
  const highs = await listOffsets(cluster, asked, () => ({ fromBeginning: false }));
  const lows = await listOffsets(cluster, asked, () => ({ fromBeginning: true }));
  return new Map(
    topics.map((topic) => [
      topic,
      [...(highs.get(topic) ?? [])].flatMap(([partition, high]) => {
        const low = lows.get(topic)?.get(partition);
        return low === undefined ? [] : [{ partition, low, high }];
      }),
    ]),
  );
}

interface WantedOffsets {
  readonly topic: string;
  readonly partitions: { readonly partition: number }[];
}

/** The partitions of these topics that have a leader. */
async function wantedOf(cluster: kafkajs.Cluster, topics: readonly string[]): Promise<WantedOffsets[]> {
  await cluster.addMultipleTargetTopics([...topics]);
  await cluster.refreshMetadataIfNecessary();
  return topics.map((topic) => ({
    topic,
    partitions: cluster
      .findTopicPartitionMetadata(topic)
      .filter(({ leader }) => leader !== NO_LEADER)
      .map(({ partitionId }) => ({ partition: partitionId })),
  }));
}

type Where = { readonly fromBeginning: boolean } | { readonly fromTimestamp: number };

/** One request to each broker; offsets by topic and partition. */
async function listOffsets(
  cluster: kafkajs.Cluster,
  asked: readonly WantedOffsets[],
  whereOf: (topic: string) => Where,
): Promise<Map<string, Map<number, number>>> {
  const answer = await cluster.fetchTopicsOffset(asked.map((each) => ({ ...each, ...whereOf(each.topic) })));
  return new Map(
    answer.map(({ topic, partitions }) => [
      topic,
      new Map(partitions.map(({ partition, offset }) => [partition, Number(offset)])),
    ]),
  );
}

type OffsetAt = Awaited<ReturnType<ClusterAdmin["offsetsAt"]>>;

/** First offsets at or after times, by the question; the end where there is none. */
export async function offsetsAtTimes(
  cluster: kafkajs.Cluster,
  questions: readonly string[],
): Promise<Map<string, OffsetAt>> {
  const asked = questions.map((question) => JSON.parse(question) as { topic: string; timestampMs: number });
  const times = new Map(asked.map(({ topic, timestampMs }) => [topic, timestampMs]));
  if (times.size < questions.length) throw new TypeError("one request asks a topic for one time");
  const wanted = await wantedOf(cluster, [...times.keys()]);
  const ends = await listOffsets(cluster, wanted, () => ({ fromBeginning: false }));
  const found = await listOffsets(cluster, wanted, (topic) => ({ fromTimestamp: times.get(topic) ?? 0 }));
  return new Map(
    asked.map(({ topic }, at) => [
      questions[at] ?? "",
      [...(found.get(topic) ?? [])].map(([partition, offset]) => ({
        partition,
        offset: offset >= 0 ? offset : (ends.get(topic)?.get(partition) ?? offset),
      })),
    ]),
  );
}
