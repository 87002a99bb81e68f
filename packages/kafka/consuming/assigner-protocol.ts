import type { GroupAssigner, JoinedMember } from "../session.ts";
import { type AssignedMember, assignPartitions } from "./assigner.ts";

/** A member's memory of its last assignment, which it sends to the group's leader. */
export interface LastAssignment {
  readonly partitions: readonly number[];
  /** The group's generation of the assignment. When two members claim a partition, the later one wins. */
  readonly generation: number;
  /** The time of the assignment, which a leader of an earlier version compares. */
  readonly assignedAtMs: number;
  /** The partitions whose records are worked on, and which are not to move meanwhile. */
  readonly busy: readonly number[];
}

export const NO_ASSIGNMENT: Omit<LastAssignment, "busy"> = { partitions: [], generation: 0, assignedAtMs: 0 };
const NO_DATA = Buffer.alloc(0);

export function encodeUserData({ partitions, generation, assignedAtMs, busy }: LastAssignment): Buffer {
  return Buffer.from(JSON.stringify({ partitions, generation, assignedAtMs, busy }));
}

/**
 * Foreign or damaged data means a member without a past, never a failed rebalance. One of a version before says nothing of generations, or
 * of busy ones.
 */
export function decodeUserData(userData: Buffer): LastAssignment {
  const { partitions, generation, assignedAtMs, busy } = propertiesOf(userData);
  if (!Array.isArray(partitions) || typeof assignedAtMs !== "number") return { ...NO_ASSIGNMENT, busy: [] };
  return {
    partitions: numbersOf(partitions),
    generation: typeof generation === "number" ? generation : 0,
    assignedAtMs,
    busy: numbersOf(busy),
  };
}

/** The partitions that the leader wants back. A leader of an earlier version names none. */
export function decodeToRelease(userData: Buffer): readonly number[] {
  return numbersOf(propertiesOf(userData)["toRelease"]);
}

function encodeToRelease(toRelease: readonly number[]): Buffer {
  return toRelease.length === 0 ? NO_DATA : Buffer.from(JSON.stringify({ toRelease }));
}

function propertiesOf(userData: Buffer): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(userData.toString());
    return typeof data === "object" && data !== null ? { ...data } : {};
  } catch {
    return {};
  }
}

function numbersOf(list: unknown): number[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === "number") : [];
}

function toMember({ id, userData }: JoinedMember): AssignedMember {
  const { partitions: owned, ...last } = decodeUserData(userData);
  return { id, owned, ...last };
}

/** The sticky co-partitioning assigner for one consumer; `last` is asked at every join. */
export function coPartitionedAssigner(last: () => LastAssignment): GroupAssigner {
  return {
    userData: () => encodeUserData(last()),
    assign(members, partitionCounts) {
      const byMember = new Map(members.map(({ id }) => [id, new Map<string, readonly number[]>()]));
      const toRelease = new Map(members.map(({ id }) => [id, new Set<number>()]));
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
        for (const [id, assigned] of assignPartitions(most, readers.map(toMember))) {
          for (const partition of assigned.toRelease) toRelease.get(id)?.add(partition);
          for (const topic of topics)
            byMember.get(id)?.set(
              topic,
              assigned.partitions.filter((p) => p < (partitionCounts.get(topic) ?? 0)),
            );
        }
      }
      return new Map(
        Array.from(byMember, ([id, partitionsByTopic]) => [
          id,
          { partitionsByTopic, userData: encodeToRelease([...(toRelease.get(id) ?? [])]) },
        ]),
      );
    },
  };
}
