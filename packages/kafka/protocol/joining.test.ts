import { describe, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import { type Joining, joiningWith } from "./joining.ts";

interface Answer {
  readonly type?: string;
}

/** A cluster whose coordinator notes who joins and answers as told, then with success. */
function newCluster(...answers: Answer[]) {
  const joinedAs: string[] = [];
  const coordinator = {
    nodeId: 3,
    isConnected: () => true,
    async joinGroup({ memberId }: { memberId: string }): Promise<{ memberId: string }> {
      joinedAs.push(memberId);
      const { type } = answers.shift() ?? {};
      if (type !== undefined) throw Object.assign(new Error(type), { type });
      return { memberId: memberId === "" ? "new" : memberId };
    },
  };
  const cluster = { findGroupCoordinator: async () => coordinator } as unknown as kafkajs.Cluster;
  return { cluster, joinedAs };
}

const assigner: kafkajs.PartitionAssigner = () => ({
  name: "any",
  version: 1,
  protocol: () => ({ name: "any", metadata: Buffer.alloc(0) }),
  assign: async () => [],
});

async function join(cluster: kafkajs.Cluster, memberId = ""): Promise<unknown> {
  const coordinator = (await cluster.findGroupCoordinator({ groupId: "g" })) as unknown as {
    joinGroup(request: { memberId: string }): Promise<unknown>;
  };
  return coordinator.joinGroup({ memberId }).catch((thrown: unknown) => thrown);
}

function lend(cluster: kafkajs.Cluster, rejoinAs: string | undefined, more: Partial<Joining> = {}): void {
  const nothing = (): void => undefined;
  const joining = {
    topics: ["t"],
    rejoinAs,
    before: async () => undefined,
    onFailed: nothing,
    onJoined: nothing,
    onAssigned: nothing,
    ...more,
  };
  joiningWith(joining, assigner)({ cluster, groupId: "g", logger: {} as kafkajs.Logger });
}

describe("coming back as the member that was lost", () => {
  test("the first join names the lost member, and later ones the client's own", async () => {
    const { cluster, joinedAs } = newCluster();
    lend(cluster, "lost");
    await join(cluster);
    await join(cluster, "lost");
    await join(cluster);
    expect(joinedAs).toEqual(["lost", "lost", ""]);
  });

  test("a member that the group has forgotten joins as a new one", async () => {
    const { cluster, joinedAs } = newCluster({ type: "UNKNOWN_MEMBER_ID" });
    lend(cluster, "lost");
    await join(cluster);
    await join(cluster);
    expect(joinedAs).toEqual(["lost", ""]);
  });

  test("while the coordinator is loading the lost member is named again", async () => {
    const { cluster, joinedAs } = newCluster({ type: "COORDINATOR_LOAD_IN_PROGRESS" });
    lend(cluster, "lost");
    await join(cluster);
    await join(cluster);
    expect(joinedAs).toEqual(["lost", "lost"]);
  });

  test("the coordinator is otherwise the one that it was", async () => {
    const { cluster } = newCluster();
    lend(cluster, "lost");
    const coordinator = await cluster.findGroupCoordinator({ groupId: "g" });
    expect(coordinator).toMatchObject({ nodeId: 3 });
    expect(coordinator.isConnected()).toBe(true);
  });

  test("without a lost member nothing is changed", async () => {
    const { cluster, joinedAs } = newCluster();
    lend(cluster, undefined);
    await join(cluster);
    expect(joinedAs).toEqual([""]);
  });
});

describe("asking to join", () => {
  test("waits for what comes before it, each time, and says when it was refused", async () => {
    const { cluster, joinedAs } = newCluster({ type: "COORDINATOR_LOAD_IN_PROGRESS" });
    const told: string[] = [];
    let ready = Promise.withResolvers<void>();
    lend(cluster, undefined, {
      before: () => {
        told.push("before");
        return ready.promise;
      },
      onFailed: () => void told.push("failed"),
      onJoined: () => void told.push("joined"),
    });
    const refused = join(cluster, "me");
    await new Promise((resolve) => setImmediate(resolve));
    expect([told, joinedAs]).toEqual([["before"], []]);
    ready.resolve();
    await refused;
    expect([told, joinedAs]).toEqual([["before", "failed"], ["me"]]);
    ready = Promise.withResolvers<void>();
    const joined = join(cluster, "me");
    await new Promise((resolve) => setImmediate(resolve));
    expect(joinedAs).toHaveLength(1);
    ready.resolve();
    await joined;
    expect([told, joinedAs]).toEqual([
      ["before", "failed", "before", "joined"],
      ["me", "me"],
    ]);
  });
});
