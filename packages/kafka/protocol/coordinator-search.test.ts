import { beforeEach, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import OffsetManager from "kafkajs/src/consumer/offsetManager/index.js";
import errors from "kafkajs/src/protocol/error.js";
import { settled, TestHost } from "#testing/host";
import { StubClientGroup } from "../fixtures/stub-client-group.ts";
import { ClientGroup } from "./client-group.ts";
import { followingCoordinator, installClientGroup, joiningWithWord } from "./client-group-patch.ts";
import { CoordinatorSearch } from "./coordinator-search.ts";

const [UNKNOWN_MEMBER, NOT_COORDINATOR] = [25, 16].map((code) => errors.createErrorFromCode(code)) as [
  ...[Error, Error],
];
const [OLD, NEW, OTHER] = ["old", "new", "other"].map((name) => ({ name }) as unknown as kafkajs.Broker) as [
  ...[kafkajs.Broker, kafkajs.Broker, kafkajs.Broker],
];

let host: TestHost;
let client: ClientGroup;
let group: StubClientGroup;
/** Whom heartbeats were sent to. */
let beats: kafkajs.Broker[];
/** What the next ones fail with. */
let failures: Error[];
let looks: PromiseWithResolvers<kafkajs.Broker>[];
let disconnects: number;
let beat: () => Promise<void>;

beforeEach(() => {
  host = new TestHost();
  group = new StubClientGroup();
  [beats, failures, looks, disconnects] = [[], [], [], 0];
  group.coordinator = OLD;
  group.join(1);
  Object.assign(group.cluster, {
    findGroupCoordinator() {
      const look = Promise.withResolvers<kafkajs.Broker>();
      looks.push(look);
      return look.promise;
    },
    async disconnect() {
      disconnects += 1;
    },
  });
  const none = () => undefined;
  const handlers = { onLogCut: none, onCommitsRead: none, onRecordsGone: none, onSyncFailed: none };
  client = new ClientGroup(handlers, new CoordinatorSearch(host));
  const assigner = (() => ({})) as unknown as kafkajs.PartitionAssigner;
  client.foundBy(assigner)({ cluster: group.cluster } as Parameters<kafkajs.PartitionAssigner>[0]);
  client.connected(group);
  const heartbeat = followingCoordinator(async function send() {
    beats.push(this.coordinator);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  });
  beat = () => heartbeat.call(group, { interval: 0 });
});

/** The host's time until the next look. */
const aWhile = (): Promise<void> => host.advance(300);

async function found(coordinator: kafkajs.Broker): Promise<void> {
  looks.at(-1)?.resolve(coordinator);
  await settled();
}

test("a heartbeat that finds no coordinator has it looked for, once, and commits follow it, too", async () => {
  failures = [NOT_COORDINATOR];
  await beat();
  await beat();
  await aWhile();
  await beat();
  expect([looks.length, beats]).toEqual([1, [OLD]]);
  await found(NEW);
  await beat();
  expect([beats, group.offsetManager?.coordinator]).toEqual([[OLD, NEW], NEW]);
});

test("it is looked for until it is found", async () => {
  failures = [new TypeError("no broker")];
  await beat();
  await aWhile();
  looks[0]?.reject(new Error("nobody knows"));
  await aWhile();
  await found(NEW);
  await beat();
  expect([looks.length, beats]).toEqual([2, [OLD, NEW]]);
});

test("where it is the same again, a failure begins another look", async () => {
  for (const times of [1, 2]) {
    failures = [NOT_COORDINATOR];
    await beat();
    await aWhile();
    await found(OLD);
    expect(looks.length).toBe(times);
  }
  await beat();
  expect(beats).toEqual([OLD, OLD, OLD]);
});

test("what a join has found meanwhile stands, and has heartbeats at once", async () => {
  failures = [NOT_COORDINATOR];
  await beat();
  await aWhile();
  group.coordinator = OTHER;
  await beat();
  await found(NEW);
  expect([beats, group.coordinator]).toEqual([[OLD, OTHER], OTHER]);
  group.coordinator = OLD;
  await beat();
  expect(beats).toEqual([OLD, OTHER, OLD]);
});

test("one that a join has found and that is lost, too, is looked for whatever an older look finds", async () => {
  for (const coordinator of [OLD, OTHER]) {
    group.coordinator = coordinator;
    failures = [NOT_COORDINATOR];
    await beat();
    await aWhile();
  }
  looks[0]?.resolve(OLD);
  await settled();
  await beat();
  expect([looks.length, beats]).toEqual([2, [OLD, OTHER]]);
  await found(NEW);
  expect(group.coordinator).toBe(NEW);
});

test("what the coordinator itself refuses is the client's to handle", async () => {
  failures = [UNKNOWN_MEMBER];
  await expect(beat()).rejects.toBe(UNKNOWN_MEMBER);
  await aWhile();
  expect(looks).toEqual([]);
});

test.each(["offsetCommit", "offsetFetch"])("%s has it looked for, too", async (name) => {
  installClientGroup();
  const refuse = () => Promise.reject(NOT_COORDINATOR);
  Object.assign(group.cluster, { committedOffsets: () => ({}) });
  const manager = new OffsetManager({
    ...{ cluster: group.cluster, groupId: "g", memberAssignment: { t: [0] }, topicConfigurations: { t: {} } },
    coordinator: { isConnected: () => true, [name]: refuse },
  });
  const topics = [{ topic: "t", partitions: [{ partition: 0, offset: "1" }] }];
  const asked = name === "offsetCommit" ? manager.commitOffsets({ topics }) : manager.resolveOffsets();
  await expect(asked).rejects.toBe(NOT_COORDINATOR);
  await beat();
  await aWhile();
  expect([looks.length, beats]).toEqual([1, []]);
});

test("a heartbeat that is not answered holds up no reading, and has it looked for when it fails", async () => {
  const answer = Promise.withResolvers<void>();
  await followingCoordinator(() => answer.promise).call(group, { interval: 0 });
  answer.reject(NOT_COORDINATOR);
  await settled();
  await aWhile();
  expect(looks.length).toBe(1);
});

test("a join that fails has it looked for, too", async () => {
  const join = joiningWithWord(() => Promise.reject(NOT_COORDINATOR));
  await expect(join.call(group)).rejects.toBe(NOT_COORDINATOR);
  await beat();
  await aWhile();
  expect([looks.length, beats]).toEqual([1, []]);
});

test("the end of a session ends the look, and what it has connected meanwhile", async () => {
  client.coordinatorFailed(NOT_COORDINATOR);
  await aWhile();
  client.end();
  await found(NEW);
  await aWhile();
  expect([looks.length, disconnects, group.coordinator]).toEqual([1, 1, OLD]);
  client.coordinatorFailed(NOT_COORDINATOR);
  await aWhile();
  expect(looks.length).toBe(1);
});
