import kafkajs from "kafkajs";
import type { GroupAssigner, JoinedMember } from "../session.ts";

const { AssignerProtocol } = kafkajs;

const NAME = "HooklineCoPartitionedSticky";
const VERSION = 1;
const NO_DATA = Buffer.alloc(0);

function toMember({ memberId, memberMetadata }: kafkajs.GroupMember): JoinedMember {
  const decoded = AssignerProtocol.MemberMetadata.decode(memberMetadata);
  return { id: memberId, userData: decoded?.userData ?? NO_DATA };
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
    async assign({ members, topics }) {
      const counts = new Map(
        topics.map((topic) => [topic, cluster.findTopicPartitionMetadata(topic).length]),
      );
      return Array.from(assigner.assign(members.map(toMember), counts), ([memberId, assignment]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(
            Array.from(assignment, ([topic, partitions]) => [topic, [...partitions]]),
          ),
          userData: NO_DATA,
        }),
      }));
    },
  });
}
