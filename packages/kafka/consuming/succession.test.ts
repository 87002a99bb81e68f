import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import type { ClusterAdmin, Commit } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import type { CommittedOffset } from "../session.ts";
import { succeed } from "./succession.ts";

const FORMER = new Map([
  ["replays", "g-replays"],
  ["attempts", "g-health"],
  ["letters", "g-health"],
]);

let host: TestHost;
let recorder: ReturnType<typeof recordingLogger>;
/** By group and topic. */
let commits: Map<string, Map<number, Commit>>;
let taken: CommittedOffset[][];
let members: number;
let failures: number;

beforeEach(() => {
  host = new TestHost();
  recorder = recordingLogger();
  commits = new Map();
  taken = [];
  members = 0;
  failures = 0;
});

const admin = {
  async memberCount(groupIds: readonly string[]) {
    expect(groupIds).toEqual(["g-replays", "g-health"]);
    failures -= 1;
    if (failures >= 0) throw new KafkaError("unavailable", "away", { canRetry: true });
    return members;
  },
  commits: async (groupId: string, topic: string) => commits.get(`${groupId} ${topic}`) ?? new Map(),
  async commitUnlessJoined(groupId: string, places: readonly CommittedOffset[]) {
    expect(groupId).toBe("g");
    taken.push([...places]);
    return true;
  },
} as unknown as ClusterAdmin;

function begin(stopping = new AbortController()) {
  const parts = { admin: { run: <R>(use: (one: ClusterAdmin) => Promise<R>) => use(admin) }, host };
  const state = { isOver: false };
  const done = succeed(
    { groupId: "g", formerGroups: FORMER },
    { ...parts, logger: recorder.logger },
    stopping.signal,
  ).then(() => {
    state.isOver = true;
  });
  return { done, state };
}

const at = (offset: number, metadata?: string): Commit => ({ offset, metadata });

describe("a group that goes on with the work of others", () => {
  test("begins where they ended, with what they had done beyond that", async () => {
    commits.set("g-replays replays", new Map([[0, at(5, "done1:x")], [2, at(0)]])); // biome-ignore format: pairs
    commits.set("g-health letters", new Map([[1, at(9)]]));
    await begin().done;
    expect(taken).toEqual([
      [
        { topic: "replays", partition: 0, offset: 5, metadata: "done1:x" },
        { topic: "replays", partition: 2, offset: 0, metadata: undefined },
        { topic: "letters", partition: 1, offset: 9, metadata: undefined },
      ],
    ]);
  });

  test("keeps its own places, but for those that an earlier version has passed since", async () => {
    commits.set("g-replays replays", new Map([[0, at(5)], [1, at(5)], [2, at(5)]])); // biome-ignore format: pairs
    commits.set("g replays", new Map([[0, at(6)], [1, at(5)], [2, at(4)]])); // biome-ignore format: pairs
    await begin().done;
    expect(taken).toEqual([[{ topic: "replays", partition: 2, ...at(5) }]]);
  });

  test("has nothing to commit where there is nothing to go on with", async () => {
    await begin().done;
    expect(taken).toEqual([]);
  });

  test("waits for the last member of theirs, and takes the places that they have then", async () => {
    commits.set("g-replays replays", new Map([[0, at(5)]]));
    members = 2;
    const { done, state } = begin();
    await host.advance(5_000);
    commits.set("g-replays replays", new Map([[0, at(7)]]));
    expect([state.isOver, taken]).toEqual([false, []]);
    members = 0;
    await host.advance(1_000);
    await done;
    expect(taken).toEqual([[{ topic: "replays", partition: 0, ...at(7) }]]);
    expect(recorder.lines[0]).toMatchObject({ level: "warn", fields: { groupId: "g", members: 2 } });
  });

  test("is tried again while Kafka does not answer", async () => {
    failures = 2;
    const { done, state } = begin();
    await host.advance(200);
    expect(state.isOver).toBe(false);
    await host.advance(1_000);
    await done;
    expect(recorder.lines.map(({ fields }) => fields)).toEqual([
      { groupId: "g", failures: 1, error: "away" },
      { groupId: "g", failures: 2, error: "away" },
    ]);
  });

  test("takes no place once its process stops", async () => {
    commits.set("g-replays replays", new Map([[0, at(5)]]));
    members = 1;
    const stopping = new AbortController();
    const { done } = begin(stopping);
    await host.advance(500);
    stopping.abort();
    members = 0;
    await host.advance(1_000);
    await done;
    expect(taken).toEqual([]);
  });
});
