import kafkajs from "kafkajs";
import { type AssignedMember, assignPartitions } from "./assigner.ts";

const { AssignerProtocol } = kafkajs;

const NAME = "HooklineCoPartitionedSticky";
const VERSION = 1;

/** What a member remembers of its last assignment and tells the group's leader. */
export interface LastAssignment {
  readonly partitions: readonly number[];
  /** Of two members that claim a partition the later one wins. */
  readonly assignedAtMs: number;
}

const NOTHING: LastAssignment = { partitions: [], assignedAtMs: 0 };

export function encodeUserData({ partitions, assignedAtMs }: LastAssignment): Buffer {
  return Buffer.from(JSON.stringify({ partitions, assignedAtMs }));
}

/** Foreign or damaged data means a member without a past, never a failed rebalance. */
export function decodeUserData(userData: Buffer): LastAssignment {
  try {
    const data: unknown = JSON.parse(userData.toString());
    if (typeof data !== "object" || data === null) return NOTHING;
    const { partitions, assignedAtMs } = data as { partitions?: unknown; assignedAtMs?: unknown };
    if (!Array.isArray(partitions) || typeof assignedAtMs !== "number") return NOTHING;
    return { partitions: partitions.filter((partition) => typeof partition === "number"), assignedAtMs };
  } catch {
    return NOTHING;
  }
}

function toMember({ memberId, memberMetadata }: kafkajs.GroupMember): AssignedMember {
  const decoded = AssignerProtocol.MemberMetadata.decode(memberMetadata);
  const { partitions, assignedAtMs } = decoded === null ? NOTHING : decodeUserData(decoded.userData);
  return { id: memberId, owned: partitions, assignedAtMs };
}

/** The sticky co-partitioning assigner for one consumer; `last` is asked at every join. */
export function coPartitionedAssigner(last: () => LastAssignment): kafkajs.PartitionAssigner {
  return ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version: VERSION,
        topics,
        userData: encodeUserData(last()),
      }),
    }),
    async assign({ members, topics }) {
      const counts = topics.map((topic) => cluster.findTopicPartitionMetadata(topic).length);
      const assigned = assignPartitions(Math.max(0, ...counts), members.map(toMember));
      return Array.from(assigned, ([memberId, partitions]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version: VERSION,
          assignment: Object.fromEntries(
            topics.map((topic, index) => [topic, partitions.filter((p) => p < (counts[index] ?? 0))]),
          ),
          userData: Buffer.alloc(0),
        }),
      }));
    },
  });
}
