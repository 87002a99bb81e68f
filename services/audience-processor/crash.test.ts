// Processors that die, and partitions that move, with real processes: what is sent of each user alternates all the same.
import { afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type ServiceProcess, startService } from "#support/service";
import { type TestStack, useStack } from "#support/stack";
import { until } from "#support/until";
import { audienceOf, callOf } from "./fixtures/calls.ts";
import { Stage } from "./fixtures/stage.ts";

const WAIT = { timeoutMs: 60_000 };
const USERS = Array.from({ length: 12 }, (_, index) => `u${index}`);

let stack: TestStack;
let stage: Stage;
let processes: ServiceProcess[];

beforeAll(async () => {
  stack = await useStack();
}, 300_000);
beforeEach(async () => {
  stage = await Stage.open(stack);
  processes = [];
}, 60_000);
afterEach(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await stage.close();
}, 60_000);

async function startProcess(more: Record<string, string> = {}): Promise<ServiceProcess> {
  const settings = { ...stage.environment, HOOKLINE_DATA_DIR: stage.newDataDir(), ...more };
  const started = await startService({ name: "audience-processor", settings });
  processes.push(started);
  return started;
}

/** Each user's plan, `rounds` times another one. */
async function changePlans(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const traits = { plan: round % 2 === 0 ? "pro" : "free" };
    await stage.send(...USERS.map((userId) => callOf({ userId, type: "identify", body: { traits } })));
  }
}

/** Of one user, without what was sent again under the same id. */
const values = (user: string): unknown[] => stage.valuesOf(user, "pro");

const alternating = (count: number): boolean[] =>
  Array.from({ length: count }, (_, index) => index % 2 === 0);

async function expectAlternation(count: number): Promise<void> {
  const isThere = (): boolean => USERS.every((user) => values(user).length >= count);
  await until(isThere, {
    ...WAIT,
    what: () => `${count} changes of each: ${USERS.map((user) => values(user).length)}`,
  });
  for (const user of USERS) expect(values(user)).toEqual(alternating(count));
}

test("killed in the middle of its work, and started again with its disk or without: nothing is missing, nothing comes twice under different ids", async () => {
  await stage.configure(audienceOf("pro", { trait: "plan", op: "eq", value: "pro" }));
  const processor = await startProcess();
  const first = changePlans(20);
  await until(() => stage.sent.length > 20, { ...WAIT, what: "the first changes" });
  await processor.kill();
  await first;
  await processor.restart();
  await changePlans(20);
  await until(() => stage.sent.length > 300, { ...WAIT, what: "more changes" });
  await processor.kill();
  await processor.restart({ HOOKLINE_DATA_DIR: stage.newDataDir() });
  await expectAlternation(40);
}, 240_000);

test("a partition that moves to another process takes its profiles with it", async () => {
  await stage.configure(audienceOf("pro", { trait: "plan", op: "eq", value: "pro" }));
  const one = await startProcess();
  await changePlans(4);
  await expectAlternation(4);
  const sending = changePlans(20);
  const other = await startProcess();
  await sending;
  await expectAlternation(24);
  await other.stop();
  await changePlans(2);
  await one.kill();
  await startProcess();
  await expectAlternation(26);
}, 240_000);

test("killed again and again while it reads its log for a new audience: as if the audience had been there", async () => {
  const settings = { HOOKLINE_AUDIENCE_BACKFILL_RATE: "60" };
  const processor = await startProcess(settings);
  for (let round = 0; round < 3; round += 1)
    await stage.send(...USERS.slice(round).map((userId) => callOf({ userId, event: "A" })));
  const counted = { event: "A", within: "30d", reduce: { fn: "count" } };
  await stage.configure(audienceOf("counted", counted, { kind: "trait", createdAtMs: Date.now() }));
  const eventsDone = () => stage.progressOf("counted").reduce((sum, one) => sum + one.eventsDone, 0);
  const isFenced = () => stage.progressOf("counted").length === 3;
  await until(isFenced, { ...WAIT, what: "the fences" });
  await processor.kill();
  await stage.send(...USERS.map((userId) => callOf({ userId, event: "A" })));
  await processor.restart();
  await until(() => eventsDone() > 0, {
    ...WAIT,
    what: () => `a part of the log: ${JSON.stringify(stage.progressOf("counted"))}`,
  });
  await processor.kill();
  await processor.restart({ HOOKLINE_DATA_DIR: stage.newDataDir() });
  const expected = (index: number) => Math.min(3, index + 1) + 1;
  await until(() => USERS.every((user) => stage.valuesOf(user, "counted").length > 0), {
    ...WAIT,
    what: () => `the counts: ${eventsDone()} ${JSON.stringify(stage.progressOf("counted"))}`,
  });
  await until(() => stage.isLive("counted"), { ...WAIT, what: "the first sync" });
  expect(USERS.map((user) => stage.valuesOf(user, "counted"))).toEqual(
    USERS.map((_, index) => [expected(index)]),
  );
}, 240_000);
