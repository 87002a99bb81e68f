import type { Admin, CommittedPlace, PartitionOffsets } from "../admin-types.ts";
import type { Commit } from "../cluster.ts";
import { decodeDoneAhead, isDoneAhead } from "../consuming/done-ahead.ts";
import { KafkaError } from "../errors.ts";
import type { AdminClient } from "./admin-client.ts";
import { fetchOffsets, fetchOffsetsAt } from "./offsets.ts";
import { offsetsUnlessLost } from "./topic-loss.ts";
import { compareTopics, ensureTopics } from "./topics.ts";

/** The knowledge that this process's tables have of a topic. */
export interface TablesSay {
  /** Throws a KafkaError while one of them sees a restore of the topic that has not ended. */
  unlessHalfRestored(topic: string, ends: readonly PartitionOffsets[]): void;
}

const NO_TABLES: TablesSay = { unlessHalfRestored: () => undefined };

export function createAdmin(client: AdminClient, tables: TablesSay = NO_TABLES): Admin {
  async function committedOffsets(groupId: string, topic: string): Promise<ReadonlyMap<number, number>> {
    const commits = await client.run((admin) => admin.commits(groupId, topic));
    return new Map([...commits].map(([partition, { offset }]) => [partition, offset]));
  }
  return {
    ensureTopics: (specs, options) => ensureTopics(client, specs, options),
    compareTopics: (specs, options) => compareTopics(client, specs, options),
    topicNames: () => client.run((admin) => admin.listTopics()),
    offsets: (topic, partition) => fetchOffsets(client, topic, partition),
    async holdsRecords(topic) {
      const ends = await offsetsUnlessLost(client, topic);
      tables.unlessHalfRestored(topic.topic, ends);
      return ends.some(({ low, high }) => low < high);
    },

    partitionCount: (topic, tries) =>
      client.run(async (admin) => {
        const count = (await admin.shapes([topic])).get(topic)?.leaders.length ?? 0;
        if (count > 0) return count;
        throw new KafkaError("unknown_topic", `topic ${topic} has no partitions`, { canRetry: true });
      }, tries),

    offsetForTime: (topic, timestampMs, partition) => fetchOffsetsAt(client, topic, timestampMs, partition),
    committedOffsets,

    async committedPlaces(groupId, topic) {
      const commits = await client.run((admin) => admin.commits(groupId, topic));
      return new Map([...commits].map(([partition, commit]) => [partition, placeOf(commit)]));
    },

    async consumerLag(groupId, topic) {
      const ends = await fetchOffsets(client, topic);
      const committed = await committedOffsets(groupId, topic);
      return ends.map(({ partition, low, high }) => ({
        partition,
        // The ends are a moment older than the commits.
        lag: Math.max(0, high - Math.max(low, committed.get(partition) ?? low)),
      }));
    },

    deleteTopics: (topics) => client.run((admin) => admin.deleteTopics(topics)),
  };
}

function placeOf({ metadata = "", offset }: Commit): CommittedPlace {
  const done = decodeDoneAhead(metadata, offset);
  return { offset, isDone: (record) => done !== undefined && isDoneAhead(done, record) };
}
