// Processors that die, and partitions that move, with real processes: what is sent of each user alternates all the same.
import { afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type ServiceProcess, startService } from "#support/service";
import { type TestStack, useStack } from "#support/stack";
import { until } from "#support/until";
import type { AudienceConfig } from "#topics";
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
}, 180_000);
afterEach(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await stage.close();
}, 180_000);

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

/** Each change that was sent counts, and none twice. */
async function expectCounts(): Promise<void> {
  const values = USERS.flatMap((user) => stage.valuesOf(user, "pro"));
  const entered = values.filter((value) => value === true).length;
  const left = values.length - entered;
  const isCounted = (): boolean => {
    const counted = stage.countedOf("pro");
    return counted.entered + counted.left >= values.length;
  };
  await until(isCounted, { ...WAIT, what: () => `the counts: ${JSON.stringify(stage.countedOf("pro"))}` });
  expect(stage.countedOf("pro")).toEqual({ entered, left, members: entered - left });
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
  await expectCounts();
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
  await expectCounts();
}, 240_000);

test("killed again and again while it reads its log for a new audience: as if the audience had been there", async () => {
  const settings = { HOOKLINE_AUDIENCE_BACKFILL_RATE: "60" };
  const processor = await startProcess(settings);
  for (let round = 0; round < 3; round += 1)
    await stage.send(...USERS.slice(round).map((userId) => callOf({ userId, event: "A" })));
  // The fence stands where the log ends then: what is keyed later is no part of what is looked back on.
  const sent = 3 * USERS.length - 3;
  await until(async () => (await stage.eventsWritten()) === sent, { ...WAIT, what: "the calls to be keyed" });
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

test("killed again and again while an edit looks back on the log: until it holds the definition of before does, and no call is missing", async () => {
  const settings = { HOOKLINE_AUDIENCE_BACKFILL_RATE: "20" };
  const round = () =>
    stage.send(...USERS.map((userId) => callOf({ userId, event: "A", body: { properties: { n: 10 } } })));
  const count = { event: "A", within: "30d", reduce: { fn: "count" } };
  const sum = { event: "A", within: "30d", reduce: { fn: "sum", path: "properties.n" } };
  const of = (user: string) => stage.valuesOf(user, "n");
  const allHave = (last: number): boolean => USERS.every((user) => of(user).at(-1) === last);
  const shown = () => JSON.stringify([USERS.map(of), stage.progressOf("n")]);
  const read = () => {
    const known = stage.progressOf("n").filter(({ generation }) => generation === 2);
    return known.reduce((events, { eventsDone }) => events + eventsDone, 0);
  };

  await stage.configure(audienceOf("n", count, { kind: "trait" }));
  const processor = await startProcess(settings);
  for (let calls = 1; calls <= 3; calls += 1) await round();
  await until(() => allHave(3) && stage.isLive("n"), { ...WAIT, what: shown });
  const earlier = [{ definition: JSON.stringify(count), generation: 1 }];
  await stage.configure(audienceOf("n", sum, { kind: "trait", generation: 2, earlier, updatedAtMs: 2 }));
  for (let calls = 4; calls <= 5; calls += 1) {
    await until(() => read() > 0, { ...WAIT, what: shown });
    await processor.kill();
    await round();
    await processor.restart({ HOOKLINE_DATA_DIR: stage.newDataDir() });
  }
  await until(() => allHave(50) && stage.isLive("n", 2), { ...WAIT, what: shown });
  for (const user of USERS) {
    const values = of(user) as number[];
    const counts = values.filter((value) => value < 10);
    const sums = values.slice(counts.length);
    const last = counts.at(-1) ?? 0;
    expect(counts).toEqual([1, 2, 3, 4, 5].slice(last - counts.length, last));
    expect(last).toBeGreaterThanOrEqual(3);
    expect(sums).toEqual([30, 40, 50].slice(-sums.length));
    expect(sums[0]).toBeGreaterThanOrEqual(10 * last);
  }
}, 240_000);

test("killed while the differences of an edit are sent: each user who differs gets one call of it, and nobody else does", async () => {
  const plan = (userId: string, name: string) =>
    callOf({ userId, type: "identify", body: { traits: { plan: name } } });
  const planOf = (index: number): string => ["pro", "free", "team"][index % 3] as string;
  const members = Array.from({ length: 60 }, (_, index) => `e${index}`);
  const isPro = { trait: "plan", op: "eq", value: "pro" };
  const isPaying = { trait: "plan", op: "in", value: ["pro", "team"] };
  const isNotPro = { trait: "plan", op: "in", value: ["free", "team"] };
  const told = (): number => members.reduce((sum, user) => sum + stage.valuesOf(user, "plan").length, 0);
  const edits = (generation: number, definition: unknown, earlier: AudienceConfig["earlier"]) =>
    stage.configure(audienceOf("plan", definition, { generation, earlier, updatedAtMs: generation }));

  await stage.configure(audienceOf("plan", isPro));
  const processor = await startProcess({ HOOKLINE_AUDIENCE_SYNC_RATE: "10" });
  await stage.send(...members.map((user, index) => plan(user, planOf(index))));
  await until(() => told() === 20 && stage.isLive("plan"), { ...WAIT, what: () => `20 members: ${told()}` });
  const before = { definition: JSON.stringify(isPro), generation: 1 };
  await edits(2, isNotPro, [before]);
  await until(() => told() >= 30, { ...WAIT, what: () => `a part of the differences: ${told()}` });
  await processor.kill();
  expect(told()).toBeLessThan(80);
  // While nobody is there the users of one plan come onto another one.
  await stage.send(
    ...members.filter((_, index) => planOf(index) === "team").map((user) => plan(user, "pro")),
  );
  await processor.restart({ HOOKLINE_DATA_DIR: stage.newDataDir(), HOOKLINE_AUDIENCE_SYNC_RATE: "1000" });
  await until(() => stage.isLive("plan", 2), { ...WAIT, what: "the edit" });
  await edits(3, isPaying, [{ definition: JSON.stringify(isNotPro), generation: 2 }, before]);
  await until(() => stage.isLive("plan", 3), { ...WAIT, what: "the edit of the edit" });
  const isTold = (): boolean =>
    members.every((user, index) => stage.valuesOf(user, "plan").at(-1) === (planOf(index) !== "free"));
  await until(isTold, { ...WAIT, what: () => `everybody to be told: ${told()}` });
  for (const [index, user] of members.entries()) {
    const values = stage.valuesOf(user, "plan");
    expect(values).toEqual(alternating(values.length));
    if (planOf(index) === "pro") expect(values).toEqual([true, false, true]);
    // Who came onto another plan while nobody was there got a call of both edits, or of the last alone.
    if (planOf(index) === "team") expect([1, 3]).toContain(values.length);
    if (planOf(index) === "free") expect(values).toEqual([true, false]);
  }
}, 180_000);
