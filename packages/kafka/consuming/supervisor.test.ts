import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { record, type StubSession, stubSessions } from "../fixtures/stub-session.ts";
import type { SessionOptions } from "../session.ts";
import { Supervisor, type SupervisorHandlers } from "./supervisor.ts";

const OPTIONS: SessionOptions = {
  groupId: "g",
  topics: ["t"],
  sessionTimeoutMs: 6_000,
  fetchPauseMs: () => 3,
  heartbeatMs: 500,
  rebalanceTimeoutMs: 10_000,
  assigner: { userData: () => Buffer.alloc(0), assign: () => new Map() },
};

const HOUR_MS = 3_600_000;

let host: TestHost;
let sessions: StubSession[];
let supervisor: Supervisor;
/** Handlers that were called, in order. */
let told: string[];
let lines: ReturnType<typeof recordingLogger>["lines"];

beforeEach(async () => {
  host = new TestHost();
  told = [];
  const stubs = stubSessions();
  ({ sessions } = stubs);
  const recording = recordingLogger();
  const { logger } = recording;
  ({ lines } = recording);
  const handlers: SupervisorHandlers = {
    onLeft: () => told.push("left"),
    onJoin: () => told.push("join"),
    onAnswered: () => told.push("answered"),
    onRebalancing: async () => void told.push("rebalancing"),
    onJoinFailed: () => told.push("join failed"),
    onCommitsRead: () => told.push("commits read"),
    onLogCut: () => told.push("log cut"),
    onRecordsGone: () => told.push("records gone"),
    onBatch: () => void told.push("batch"),
  };
  supervisor = new Supervisor({ newSession: stubs.newSession, logger, host }, OPTIONS, handlers);
  supervisor.start();
});

afterEach(async () => {
  const stopped = supervisor.stop();
  await host.advance(10_000);
  await stopped;
});

/** The session of now, whose loop has just gone round. */
function joined(): StubSession {
  const session = sessions.at(-1);
  if (session === undefined) throw new Error("no session");
  session.join([0]);
  session.lastActiveElapsedMs = host.elapsed();
  return session;
}

test("a loop that has not gone round for 45 s hangs: its session is given up for a new one", async () => {
  const session = joined();
  await host.advance(44_999);
  expect(session.isStopped).toBe(false);
  await host.advance(2_000);
  expect([session.isStopped, sessions.length]).toEqual([true, 2]);
});

test("a session that ends is said, with why, the first, the second and the fourth time in a row", async () => {
  for (let failures = 1; failures <= 5; failures += 1) {
    supervisor.renew(`reason ${failures}`);
    await host.advance(20_000);
  }
  const said = [1, 2, 4].map((failures) => ({
    level: "warn",
    fields: { groupId: "g", failures, error: `reason ${failures}` },
    message: "consumer starts again",
  }));
  expect(lines).toEqual(said);
  joined();
  await host.advance(30_000);
  supervisor.renew("afterwards");
  await host.advance(20_000);
  expect(lines.at(-1)?.fields).toEqual({ groupId: "g", failures: 1, error: "afterwards" });
});

test("one reason why sessions end is said once in 30 s", async () => {
  for (let failures = 1; failures <= 20; failures += 1) {
    supervisor.renew("away");
    await host.advance(2_000);
  }
  expect(lines).toMatchObject([{ fields: { failures: 1 } }, { fields: { failures: 16 } }]);
});

test("a session that fails soon after each join is followed by another after a growing pause, and never final", async () => {
  const cause = new KafkaError("request_failed", "no codec", { canRetry: false });
  for (let failures = 1; failures <= 8; failures += 1) {
    joined().handlers.onCrash(cause);
    await host.advance(2_000);
  }
  expect(lines).toMatchObject([{ fields: { failures: 1 } }]);
  joined().handlers.onCrash(cause);
  await host.advance(800);
  expect(sessions).toHaveLength(9);
  await host.advance(400);
  expect(sessions).toHaveLength(10);
});

test("a loop that goes round, whose group has answered nothing for 45 s, is nobody's member: a new session joins", async () => {
  const session = joined();
  session.lastActiveElapsedMs = Number.POSITIVE_INFINITY;
  await host.advance(40_000);
  session.handlers.onAnswered(host.now());
  await host.advance(44_000);
  expect(session.isStopped).toBe(false);
  await host.advance(3_000);
  expect([session.isStopped, sessions.length]).toEqual([true, 2]);
  // The new one has as long to be answered.
  await host.advance(40_000);
  expect(sessions).toHaveLength(2);
});

test("somebody who sets the clock an hour ahead ends no session", async () => {
  const session = joined();
  await host.advance(1_000);
  host.jump(HOUR_MS);
  await host.advance(10_000);
  expect([session.isStopped, sessions.length]).toEqual([false, 1]);
});

test("a loop that hangs is noticed also when somebody sets the clock an hour back", async () => {
  const session = joined();
  host.jump(-HOUR_MS);
  await host.advance(47_000);
  expect([session.isStopped, sessions.length]).toEqual([true, 2]);
});

test("what a session says that was given up is not heard", async () => {
  const old = joined();
  supervisor.renew("no reason");
  await host.advance(1_000);
  expect(sessions).toHaveLength(2);
  told.length = 0;
  old.join([0]);
  await old.handlers.onRebalancing();
  old.handlers.onJoinFailed();
  old.handlers.onRecordsGone({ topic: "t", partition: 0, fromOffset: 0, toOffset: 1 });
  await old.arrive([record(0, 0)]);
  expect(told).toEqual([]);
});

test("that a session leaves its group is said before it does, and not again by the next one", async () => {
  const session = joined();
  told.length = 0;
  const stopped = Promise.withResolvers<void>();
  session.stop = async () => {
    told.push("stops");
    await stopped.promise;
  };
  supervisor.renew("no reason");
  await host.advance(0);
  expect(told).toEqual(["left", "join failed", "stops"]);
  stopped.resolve();
  await host.advance(20_000);
  expect([sessions.length, told.length]).toEqual([2, 3]);
});

test("what the session of now says is heard", async () => {
  const session = joined();
  await session.handlers.onRebalancing();
  session.handlers.onJoinFailed();
  session.handlers.onRecordsGone({ topic: "t", partition: 0, fromOffset: 0, toOffset: 1 });
  await session.arrive([record(0, 0)]);
  expect(told).toEqual(["answered", "join", "rebalancing", "join failed", "records gone", "batch"]);
});
