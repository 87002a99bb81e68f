import kafkajs from "kafkajs";
import type { GroupAssigner, JoinedMember } from "../session.ts";

const { AssignerProtocol } = kafkajs;

const NAME = "HooklineCoPartitionedSticky";
const VERSION = 1;
const NO_DATA = Buffer.alloc(0);

function toMember({ memberId, memberMetadata }: kafkajs.GroupMember): JoinedMember {
  const decoded = AssignerProtocol.MemberMetadata.decode(memberMetadata);
  return { id: memberId, topics: decoded?.topics ?? [], userData: decoded?.userData ?? NO_DATA };
}

/** An assigner in the client's words. */
export function clientAssigner(assigner: GroupAssigner): kafkajs.PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: VERSION,
        topics,
        userData: assigner.userData(),
      }),
    }),
    async assign({ members, topics: own }) {
      const joined = members.map(toMember);
      const topics = [...new Set([...own, ...joined.flatMap((member) => member.topics)])];
      // The leader knows its own topics only. One that nobody has any more is left out, and holds up no rebalance.
      await cluster.addMultipleTargetTopics(topics).catch(() => undefined);
      const counts = new Map(
        topics.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).length]),
      );
      return Array.from(assigner.assign(joined, counts), ([memberId, { partitionsByTopic, userData }]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(
            Array.from(partitionsByTopic, ([topic, partitions]) => [topic, [...partitions]]),
          ),
          userData,
        }),
      }));
    },
  });
}
