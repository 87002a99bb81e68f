import { describe, expect, test } from "@jest/globals";
import kafkajs from "kafkajs";
import { clientAssigner } from "../protocol/client-assigner.ts";
import {
  coPartitionedAssigner,
  decodeToRelease,
  decodeUserData,
  encodeUserData,
  type LastAssignment,
  NO_ASSIGNMENT,
} from "./assigner-protocol.ts";

const { AssignerProtocol } = kafkajs;

const counts: Record<string, number> = { "delivery-jobs": 6, "delivery-retry-10s": 6, small: 2 };

function newAssigner(last: LastAssignment): kafkajs.Assigner {
  const cluster = {
    addMultipleTargetTopics: async () => undefined,
    findTopicPartitionMetadata: (topic: string) => new Array(counts[topic] ?? 0).fill({}),
  } as unknown as kafkajs.Cluster;
  return clientAssigner(coPartitionedAssigner(() => last))({
    cluster,
    groupId: "g",
    logger: {} as kafkajs.Logger,
  });
}

type Past = Pick<LastAssignment, "partitions" | "assignedAtMs"> & Partial<LastAssignment>;

const NOBODY: LastAssignment = { ...NO_ASSIGNMENT, busy: [] };

/** What the members are sent, decoded. */
async function assignments(members: Record<string, Past>) {
  const topics = Object.keys(counts);
  const joined = Object.entries(members).map(([memberId, last]) => ({
    memberId,
    memberMetadata: newAssigner({ ...NOBODY, ...last }).protocol({ topics }).metadata,
  }));
  const sent = await newAssigner(NOBODY).assign({ members: joined, topics });
  return sent.map(({ memberId, memberAssignment }) => ({
    memberId,
    ...AssignerProtocol.MemberAssignment.decode(memberAssignment),
  }));
}

async function assign(members: Record<string, Past>): Promise<Record<string, kafkajs.Assignment>> {
  const sent = await assignments(members);
  return Object.fromEntries(sent.map(({ memberId, assignment = {} }) => [memberId, assignment]));
}

describe("co-partitioning assigner", () => {
  test("partition p of every topic goes to the same member (fact 12)", async () => {
    const assignments = await assign({
      a: { partitions: [], assignedAtMs: 0 },
      b: { partitions: [], assignedAtMs: 0 },
    });
    for (const assignment of Object.values(assignments)) {
      expect(assignment["delivery-retry-10s"]).toEqual(assignment["delivery-jobs"]);
      expect(assignment["small"]).toEqual(assignment["delivery-jobs"]?.filter((partition) => partition < 2));
    }
  });

  test("a topic that the leader does not read goes to the members that do, and to no other", () => {
    const member = (id: string, topics: readonly string[]) => ({ id, topics, userData: Buffer.alloc(0) });
    const members = [
      member("leader", ["jobs", "retry-30m"]),
      member("new", ["jobs", "retry-1h"]),
      member("new too", ["jobs", "retry-1h"]),
    ];
    const counts = new Map([
      ["jobs", 6],
      ["retry-30m", 6],
      ["retry-1h", 6],
      ["nobody's", 6],
    ]);
    const assigned = coPartitionedAssigner(() => NOBODY).assign(members, counts);
    const sizes = Array.from(assigned, ([id, { partitionsByTopic }]) => [
      id,
      ...Array.from(partitionsByTopic, ([topic, { length }]) => [topic, length]),
    ]);
    expect(sizes).toEqual([
      ["leader", ["jobs", 2], ["retry-30m", 6]],
      ["new", ["jobs", 2], ["retry-1h", 3]],
      ["new too", ["jobs", 2], ["retry-1h", 3]],
    ]);
  });

  test("a member's user data brings its last assignment to the group's leader", async () => {
    const assignments = await assign({
      a: { partitions: [1, 3, 5], assignedAtMs: 7 },
      b: { partitions: [0, 2, 4], assignedAtMs: 7 },
    });
    expect(assignments["a"]?.["delivery-jobs"]).toEqual([1, 3, 5]);
    expect(assignments["b"]?.["delivery-jobs"]).toEqual([0, 2, 4]);
  });

  test("user data survives its encoding, and damaged user data is a member without a past", () => {
    const last = { partitions: [2, 9], generation: 4, assignedAtMs: 1_700_000_000_000, busy: [9] };
    expect(decodeUserData(encodeUserData(last))).toEqual(last);
    const untold = '{"partitions":[1]}';
    for (const damaged of ["", "{", "null", '{"partitions":1,"assignedAtMs":5}', '"x"', untold]) {
      expect(decodeUserData(Buffer.from(damaged))).toEqual(NOBODY);
    }
    const some = Buffer.from('{"partitions":["x",1,null],"assignedAtMs":5}');
    expect(decodeUserData(some)).toEqual({ partitions: [1], generation: 0, assignedAtMs: 5, busy: [] });
  });

  test("a member is told which busy partitions it has to release, in all topics; a leader of a version before tells nothing", async () => {
    const busy = await assignments({
      a: { partitions: [0, 1, 2, 3, 4, 5], assignedAtMs: 7, busy: [0, 1, 2, 5] },
      b: { partitions: [], assignedAtMs: 0 },
    });
    const told = busy.map(({ memberId, userData, assignment }) => [
      memberId,
      decodeToRelease(userData ?? Buffer.alloc(0)),
      assignment?.["delivery-retry-10s"],
    ]);
    expect(told).toEqual([
      ["a", [5], [0, 1, 2, 5]],
      ["b", [], [3, 4]],
    ]);
    expect(decodeToRelease(Buffer.alloc(0))).toEqual([]);
    expect(decodeToRelease(Buffer.from('{"toRelease":"5"}'))).toEqual([]);
  });
});
