import { describe, expect, test } from "@jest/globals";
import kafkajs from "kafkajs";
import { type Joining, joiningWith } from "./joining.ts";

interface JoinGroup {
  readonly memberId: string;
  readonly groupProtocols: readonly { readonly metadata: Buffer }[];
}

interface Answer {
  readonly type?: string;
}

const { AssignerProtocol } = kafkajs;

/** A cluster whose coordinator notes who joins, and with which words, and answers as told, then with success. */
function newCluster(...answers: Answer[]) {
  const joinedAs: string[] = [];
  const said: string[] = [];
  const coordinator = {
    nodeId: 3,
    isConnected: () => true,
    async joinGroup({ memberId, groupProtocols }: JoinGroup): Promise<{ memberId: string }> {
      joinedAs.push(memberId);
      said.push(...groupProtocols.map(({ metadata }) => metadata.toString()));
      const { type } = answers.shift() ?? {};
      if (type !== undefined) throw Object.assign(new Error(type), { type });
      return { memberId: memberId === "" ? "new" : memberId };
    },
    async syncGroup({ userData }: { userData: string }) {
      const assignment = { version: 1, assignment: { t: [0] }, userData: Buffer.from(userData) };
      return { memberAssignment: AssignerProtocol.MemberAssignment.encode(assignment) };
    },
  };
  const cluster = { findGroupCoordinator: async () => coordinator } as unknown as kafkajs.Cluster;
  return { cluster, joinedAs, said };
}

let words = "";

const assigner: kafkajs.PartitionAssigner = () => ({
  name: "any",
  version: 1,
  protocol: ({ topics }) => ({ name: "any", metadata: Buffer.from(`${topics.join()}: ${words}`) }),
  assign: async () => [],
});

async function join(cluster: kafkajs.Cluster, memberId = ""): Promise<unknown> {
  const coordinator = (await cluster.findGroupCoordinator({ groupId: "g" })) as unknown as {
    joinGroup(request: JoinGroup): Promise<unknown>;
  };
  const groupProtocols = [{ metadata: Buffer.from("of before the wait") }];
  return coordinator.joinGroup({ memberId, groupProtocols }).catch((thrown: unknown) => thrown);
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

test("the leader is told what holds after the wait, and what it tells the member is heard", async () => {
  const { cluster, said } = newCluster();
  const told: string[] = [];
  lend(cluster, undefined, {
    before: async () => {
      words = "of after it";
    },
    onAssigned: (userData) => void told.push(userData.toString()),
  });
  await join(cluster);
  expect(said).toEqual(["t: of after it"]);
  const coordinator = (await cluster.findGroupCoordinator({ groupId: "g" })) as unknown as {
    syncGroup(request: { userData: string }): Promise<unknown>;
  };
  const answer = await coordinator.syncGroup({ userData: "from the leader" });
  expect(told).toEqual(["from the leader"]);
  expect(answer).toEqual({ memberAssignment: expect.any(Buffer) });
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
