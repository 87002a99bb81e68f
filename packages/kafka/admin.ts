import type { AdminClient } from "./admin-client.ts";
import { KafkaError } from "./errors.ts";
import { fetchOffsets } from "./offsets.ts";
import { ensureTopics } from "./topics.ts";
import type { Admin } from "./types.ts";

export function createAdmin(client: AdminClient): Admin {
  return {
    ensureTopics: (specs, options) => ensureTopics(client, specs, options),
    offsets: (topic) => fetchOffsets(client, topic),

    async partitionCount(topic) {
      const { topics } = await client.run((admin) => admin.fetchTopicMetadata({ topics: [topic] }));
      const count = topics.find(({ name }) => name === topic)?.partitions.length ?? 0;
      if (count === 0)
        throw new KafkaError("unknown_topic", `topic ${topic} has no partitions`, { canRetry: true });
      return count;
    },

    async offsetForTime(topic, timestampMs) {
      const offsets = await client.run((admin) => admin.fetchTopicOffsetsByTimestamp(topic, timestampMs));
      return offsets.map(({ partition, offset }) => ({ partition, offset: Number(offset) }));
    },

    committedOffsets: (groupId, topic) => fetchCommitted(client, groupId, topic),

    async consumerLag(groupId, topic) {
      const ends = await fetchOffsets(client, topic);
      const committed = await fetchCommitted(client, groupId, topic);
      return ends.map(({ partition, low, high }) => ({
        partition,
        lag: high - Math.max(low, committed.get(partition) ?? low),
      }));
    },

    async deleteTopics(topics) {
      await client.run((admin) => admin.deleteTopics({ topics: [...topics] }));
    },

    async deleteGroups(groupIds) {
      await client.run((admin) => admin.deleteGroups([...groupIds]));
    },
  };
}

async function fetchCommitted(
  client: AdminClient,
  groupId: string,
  topic: string,
): Promise<Map<number, number>> {
  const [ofTopic] = await client.run((admin) => admin.fetchOffsets({ groupId, topics: [topic] }));
  const offsets = (ofTopic?.partitions ?? []).map(
    ({ partition, offset }) => [partition, Number(offset)] as const,
  );
  // The client says -1 where nothing was committed.
  return new Map(offsets.filter(([, offset]) => offset >= 0));
}
