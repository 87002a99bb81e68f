import type { GroupAssigner, JoinedMember } from "../session.ts";
import { type AssignedMember, assignPartitions } from "./assigner.ts";

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

function toMember({ id, userData }: JoinedMember): AssignedMember {
  const { partitions, assignedAtMs } = decodeUserData(userData);
  return { id, owned: partitions, assignedAtMs };
}

/** The sticky co-partitioning assigner for one consumer; `last` is asked at every join. */
export function coPartitionedAssigner(last: () => LastAssignment): GroupAssigner {
  return {
    userData: () => encodeUserData(last()),
    assign(members, partitionCounts) {
      const assignment = new Map(members.map(({ id }) => [id, new Map<string, readonly number[]>()]));
      const readersOf = (topic: string) => members.filter(({ topics }) => topics.includes(topic));
      const byReaders = Map.groupBy(partitionCounts.keys(), (topic) =>
        readersOf(topic)
          .map(({ id }) => id)
          .join(),
      );
      for (const topics of byReaders.values()) {
        const readers = readersOf(topics[0] ?? "");
        if (readers.length === 0) continue;
        const most = Math.max(...topics.map((topic) => partitionCounts.get(topic) ?? 0));
        for (const [id, partitions] of assignPartitions(most, readers.map(toMember)))
          for (const topic of topics)
            assignment.get(id)?.set(
              topic,
              partitions.filter((p) => p < (partitionCounts.get(topic) ?? 0)),
            );
      }
      return assignment;
    },
  };
}
