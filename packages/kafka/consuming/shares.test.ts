import { afterEach, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { record, stubSessions } from "../fixtures/stub-session.ts";
import type { Settle } from "../runner-types.ts";
import type { TopicPartition } from "../types.ts";
import { GroupReader } from "./group-reader.ts";
import type { ReaderShare } from "./shares.ts";

const PARTITIONS = ["slow", "quick"].map((topic) => ({ topic, partition: 0 }));

const readers: GroupReader<string>[] = [];

afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.stop(0))));

/** A member with two shares, of which each may have two records outstanding. */
function setup(more: Partial<ReaderShare<string>> = {}) {
  const { newSession, sessions } = stubSessions();
  const open = new Map<string, Settle>();
  const told: string[] = [];
  const share = (topic: string, own: Partial<ReaderShare<string>> = {}): ReaderShare<string> => ({
    topics: [topic],
    maxOutstandingRecords: 2,
    maxOutstandingBytes: 1e6,
    onAssigned: async (partitions) => void told.push(`${topic} gets ${namesOf(partitions)}`),
    onRevoked: (partitions) => void told.push(`${topic} loses ${namesOf(partitions)}`),
    onRecordsLost: (lost) => void told.push(`${topic} lacks ${lost.records} of ${namesOf([lost])}`),
    work: {
      decode: ({ key }) => `${topic} ${key}`,
      step: ({ decoded }, settle) => void open.set(decoded, settle),
      deadLetter: () => [],
      write: async () => undefined,
    },
    ...own,
  });
  const shares = [share("slow", more), share("quick")];
  const parts = { newSession, logger: recordingLogger().logger, host: systemHost };
  const reader = new GroupReader<string>(parts, {
    groupId: "g",
    shares,
    giveUp: () => undefined,
  });
  readers.push(reader);
  void reader.start();
  const session = sessions[0];
  if (session === undefined) throw new TypeError("no session");
  const arrive = (topic: string, from: number, to: number) =>
    session.arrive(
      Array.from({ length: to - from }, (_, index) => ({
        ...record(0, from + index, `${from + index}`),
        topic,
      })),
    );
  return { arrive, open, reader, session, told };
}

function namesOf(partitions: readonly TopicPartition[]): string {
  return partitions.map(({ partition, topic }) => `${topic}-${partition}`).join();
}

const turn = () => new Promise(setImmediate);

test("a member with several shares reads the topics of all, each with its own work", async () => {
  const { arrive, open, session } = setup();
  expect(session.options.topics).toEqual(["slow", "quick"]);
  session.join(PARTITIONS);
  await turn();
  await arrive("slow", 0, 1);
  await arrive("quick", 0, 1);
  expect([...open.keys()]).toEqual(["slow 0", "quick 0"]);
});

test("a share that has all that it may have outstanding holds no other back, nor its commits", async () => {
  const { arrive, open, reader, session } = setup();
  session.join(PARTITIONS);
  await turn();
  await arrive("slow", 0, 5);
  await arrive("quick", 0, 5);
  expect([...open.keys()]).toEqual(["slow 0", "slow 1", "quick 0", "quick 1"]);
  expect(reader.outstanding.records).toBe(4);
  for (let offset = 0; offset < 5; offset += 1) {
    open.get(`quick ${offset}`)?.({ produce: [] });
    await turn();
  }
  expect([...open.keys()]).toEqual(expect.arrayContaining(["quick 4"]));
  expect(open.has("slow 2")).toBe(false);
  expect(reader.outstanding.records).toBe(2);
  const isCommitted = () =>
    session.commits.flat().some(({ offset, topic }) => topic === "quick" && offset === 5);
  await until(isCommitted, { timeoutMs: 30_000, what: "the quick one's commit" });
  expect(session.commits.flat().filter(({ offset, topic }) => topic === "slow" && offset > 0)).toEqual([]);
});

test("a share hears of its own partitions alone", async () => {
  const { session, told } = setup();
  session.join(PARTITIONS);
  await turn();
  session.handlers.onRecordsGone({ topic: "quick", partition: 0, fromOffset: 2, toOffset: 5 });
  session.join(PARTITIONS.slice(1));
  await turn();
  expect(told).toEqual([
    "slow gets slow-0",
    "quick gets quick-0",
    "quick lacks 3 of quick-0",
    "slow loses slow-0",
    "slow gets ",
    "quick gets ",
  ]);
});

test("a share whose partitions cannot be opened yet holds no other back", async () => {
  const { arrive, open, session } = setup({ onAssigned: () => new Promise(() => undefined) });
  session.join(PARTITIONS);
  await turn();
  await arrive("slow", 0, 1);
  await arrive("quick", 0, 1);
  expect([...open.keys()]).toEqual(["quick 0"]);
});

test("a stop waits for each share as long as it says", async () => {
  const { arrive, open, reader, session } = setup({ finishMs: 0 });
  session.join(PARTITIONS);
  await turn();
  await arrive("slow", 0, 1);
  await arrive("quick", 0, 1);
  let isStopped = false;
  const stopped = reader.stop(60_000).then(() => {
    isStopped = true;
  });
  await systemHost.delay(50);
  expect(isStopped).toBe(false);
  open.get("quick 0")?.({ produce: [] });
  await stopped;
  expect(open.has("slow 0")).toBe(true);
});
