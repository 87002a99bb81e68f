import { beforeEach, expect, test } from "@jest/globals";
import type kafkajs from "kafkajs";
import errors from "kafkajs/src/protocol/error.js";
import { settled, TestHost } from "#testing/host";
import { StubClientGroup } from "../fixtures/stub-client-group.ts";
import { ClientGroup } from "./client-group.ts";
import { followingCoordinator } from "./coordinator-patch.ts";

const [UNKNOWN_MEMBER, NOT_COORDINATOR] = [25, 16].map((code) => errors.createErrorFromCode(code)) as [
  ...[Error, Error],
];
const broker = (name: string): kafkajs.Broker => ({ name }) as unknown as kafkajs.Broker;

let host: TestHost;
let group: StubClientGroup;
let beats: unknown[];
let answers: (Error | undefined)[];
let looks: PromiseWithResolvers<kafkajs.Broker>[];
let beat: () => Promise<void>;

beforeEach(() => {
  host = new TestHost();
  group = new StubClientGroup();
  [beats, answers, looks] = [[], [], []];
  group.coordinator = broker("old");
  group.join(1);
  const findGroupCoordinator = () => {
    const look = Promise.withResolvers<kafkajs.Broker>();
    looks.push(look);
    return look.promise;
  };
  Object.assign(group.cluster, { findGroupCoordinator });
  const heartbeat = followingCoordinator(async function send() {
    beats.push(this.coordinator);
    const answer = answers.shift();
    if (answer !== undefined) throw answer;
  }, host);
  beat = () => heartbeat.call(group, { interval: 0 });
});

test("a heartbeat that finds no coordinator has it looked for, once, and commits follow it, too", async () => {
  answers = [NOT_COORDINATOR];
  await beat();
  await beat();
  await host.advance(1_000);
  await beat();
  expect([looks.length, beats]).toEqual([1, [broker("old")]]);
  looks[0]?.resolve(broker("new"));
  await settled();
  await beat();
  expect(beats).toEqual([broker("old"), broker("new")]);
  expect(group.offsetManager?.coordinator).toEqual(broker("new"));
});

test("where nobody is found the next heartbeat asks again", async () => {
  answers = [NOT_COORDINATOR, new TypeError("no broker"), undefined];
  for (const at of [0, 1]) {
    await beat();
    await host.advance(1_000);
    looks[at]?.reject(new Error("nobody knows"));
    await settled();
  }
  await beat();
  expect([looks.length, beats.length]).toEqual([2, 3]);
});

test("what the coordinator itself refuses is the client's to handle", async () => {
  answers = [UNKNOWN_MEMBER];
  await expect(beat()).rejects.toBe(UNKNOWN_MEMBER);
  await host.advance(1_000);
  expect(looks).toEqual([]);
});

test("a commit that finds no coordinator fails, and has it looked for", async () => {
  const client = new ClientGroup({
    onLogCut: () => undefined,
    onCommitsRead: () => undefined,
    onRecordsGone: () => undefined,
    onSyncFailed: () => undefined,
  });
  client.connected(group);
  group.refusal = NOT_COORDINATOR;
  await expect(client.commit({ topics: [] })).rejects.toBe(NOT_COORDINATOR);
  await beat();
  expect(beats).toEqual([]);
});
