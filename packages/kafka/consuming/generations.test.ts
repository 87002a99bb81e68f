import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { KafkaError } from "../errors.ts";
import {
  fetch,
  type ReaderBench,
  type ReaderBenchOptions,
  settleAll,
  startReader,
  stopReaders,
} from "../fixtures/reader-bench.ts";
import { record } from "../fixtures/stub-session.ts";
import type { TopicPartition } from "../types.ts";

// Tests what a member may believe, begin and commit while generations of its group follow each other.

const passing = new KafkaError("unavailable", "broker away", { canRetry: true });
const PARTITION = { topic: "t", partition: 0 };

let host: TestHost;
let bench: ReaderBench;

beforeEach(() => {
  host = new TestHost();
  bench = startReader({}, host);
});

afterEach(stopReaders);

function restart(options: ReaderBenchOptions): void {
  bench = startReader(options, host);
}

/** The member joins, owns partition 0 and steps its first records. */
async function reading(records: number): Promise<void> {
  bench.session().join([0]);
  fetch(bench, 0, 0, records);
  await host.advance(0);
}

/** The group has had a generation without the member, which joins the next. */
function passOver(): void {
  bench.session().isPassedOver();
  bench.session().join([0]);
}

/** Offsets of partition 0 in the order of their commits, over all sessions. */
function committed(): number[] {
  return bench.sessions.flatMap(({ commits }) => commits.flat()).map(({ offset }) => offset);
}

function settle(...keys: string[]): void {
  for (const key of keys) {
    bench.open.get(key)?.({ produce: [] });
    bench.open.delete(key);
  }
}

describe("a partition that was another's meanwhile", () => {
  test("is committed at no place of the time before: not by the clock, not at a rebalance, not at the end", async () => {
    await reading(10);
    settle("0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6", "0-7", "0-9");
    await host.advance(1_000);
    expect(committed()).toEqual([8]);
    bench.session().join([]);
    bench.session().join([0]);
    await host.advance(5_000);
    settle("0-8");
    void bench.session().handlers.onRebalancing();
    await host.advance(5_000);
    expect(committed()).toEqual([8]);
    bench.session().join([0]);
    fetch(bench, 0, 208, 210);
    await host.advance(1_000);
    settleAll(bench);
    await host.advance(1_000);
    expect(committed()).toEqual([8, 208, 210]);
  });

  test("is read from the group's place, also when the group rebalances again before anything was read", async () => {
    await reading(10);
    bench.session().join([]);
    bench.session().join([0]);
    bench.session().join([0]);
    expect(bench.session().seeks).toEqual([]);
    fetch(bench, 0, 6, 12);
    await host.advance(0);
    settle("0-6", "0-7", "0-8", "0-9", "0-10", "0-11");
    await host.advance(1_000);
    expect(committed()).toEqual([12]);
  });

  test("may have been another's in a generation that this member did not reach the end of", async () => {
    const told: string[] = [];
    const tell = (what: string) => (partitions: readonly TopicPartition[]) =>
      void told.push(...partitions.map(({ partition }) => `${what} ${partition}`));
    restart({ onRevoked: tell("lost"), onAssigned: async (partitions) => tell("got")(partitions) });
    await reading(3);
    bench.session().join([0]);
    passOver();
    expect(told).toEqual(["got 0", "lost 0", "got 0"]);
    expect(bench.session().seeks).toEqual([{ ...PARTITION, offset: 3 }]);
    settleAll(bench);
    await host.advance(1_000);
    expect(committed()).toEqual([]);
  });
});

describe("a member that stops and was passed over", () => {
  const PLACE = { ...PARTITION, metadata: undefined };

  test("commits what it has done, also what ends later, from where the group stands", async () => {
    await reading(4);
    settle("0-0");
    await host.advance(1_000);
    const stopped = bench.reader.stop(10_000);
    settle("0-1");
    passOver();
    await host.advance(1_000);
    expect(committed()).toEqual([1]);
    bench.session().handlers.onCommitsRead([{ ...PLACE, offset: 1 }]);
    await host.advance(1_000);
    expect(committed()).toEqual([1, 2]);
    settle("0-2", "0-3");
    await stopped;
    expect(committed()).toEqual([1, 2, 4]);
  });

  test("in the moment between its join and the answer about the group's commits, waits for that", async () => {
    await reading(3);
    settle("0-0", "0-1");
    passOver();
    const stopped = bench.reader.stop(1_000);
    await host.advance(2_000);
    expect([committed(), bench.session().isStopped]).toEqual([[], false]);
    bench.session().handlers.onCommitsRead([{ ...PLACE, offset: 0 }]);
    await host.advance(1_000);
    await stopped;
    expect(committed()).toEqual([2]);
  });

  test("after the answer, and before a batch, commits at once", async () => {
    await reading(3);
    settle("0-0", "0-1");
    passOver();
    bench.session().handlers.onCommitsRead([{ ...PLACE, offset: 0 }]);
    const stopped = bench.reader.stop(1_000);
    await host.advance(1_000);
    await stopped;
    expect(committed()).toEqual([2]);
  });

  test("commits nothing where another has read on", async () => {
    await reading(2);
    const stopped = bench.reader.stop(10_000);
    passOver();
    bench.session().handlers.onCommitsRead([{ ...PLACE, offset: 7 }]);
    settle("0-0", "0-1");
    await stopped;
    expect(committed()).toEqual([]);
  });
});

describe("a batch of an earlier generation", () => {
  test("is dropped where the partition stayed: it is no sign of a log that was cut", async () => {
    await reading(5);
    bench.session().join([0]);
    void bench.session().arrive([record(0, 2), record(0, 3)], 1);
    fetch(bench, 0, 5, 6);
    await host.advance(0);
    expect(bench.stepped).toEqual(["0-0", "0-1", "0-2", "0-3", "0-4", "0-5"]);
    expect(bench.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  test("is dropped where the partition is owned again: it does not show how far the group has come", async () => {
    bench.session().join([0], "first");
    fetch(bench, 0, 0, 5);
    await host.advance(0);
    bench.session().join([0], "second");
    void bench.session().arrive([record(0, 100)], 1);
    await host.advance(0);
    expect([bench.stepped.length, bench.reader.position(PARTITION)]).toEqual([5, undefined]);
    fetch(bench, 0, 3, 7);
    await host.advance(0);
    expect(bench.stepped.slice(5)).toEqual(["0-5", "0-6"]);
  });

  test("is dropped where the partition is another's", async () => {
    bench.session().join([0]);
    bench.session().join([1]);
    void bench.session().arrive([record(0, 0)], 1);
    void bench.session().arrive([record(1, 0)], 1);
    bench.session().join([0, 1]);
    await host.advance(0);
    expect(bench.stepped).toEqual([]);
  });
});

describe("a commit", () => {
  test("that could not be sent yet is sent when it can be", async () => {
    await reading(2);
    bench.session().handlers.onCrash(passing);
    await host.advance(1_000);
    const session = bench.session();
    session.canCommit = false;
    session.join([0]);
    settleAll(bench);
    await host.advance(5_000);
    expect([bench.sessions.length, committed()]).toEqual([2, []]);
    session.canCommit = true;
    await host.advance(1_000);
    expect(committed()).toEqual([2]);
  });
});

describe("a member that is about to join again", () => {
  test("begins nothing, lets what is under way end, commits it, and only then joins", async () => {
    bench.session().join([0]);
    fetch(bench, 0, 0, 2);
    await host.advance(500);
    let mayJoin = false;
    void bench
      .session()
      .handlers.onRebalancing()
      .then(() => {
        mayJoin = true;
      });
    expect([bench.claims.get("0-0")?.isOurs, bench.reader.ownership(PARTITION).isOurs]).toEqual([
      false,
      false,
    ]);
    fetch(bench, 0, 2, 4);
    await host.advance(100);
    expect([bench.stepped.length, mayJoin]).toEqual([2, false]);
    const commit = Promise.withResolvers<void>();
    bench.session().commitTakes = commit.promise;
    settleAll(bench);
    await host.advance(0);
    expect([committed().at(-1), mayJoin]).toEqual([2, false]);
    commit.resolve();
    await host.advance(0);
    expect(mayJoin).toBe(true);
    await host.advance(1_000);
    expect(bench.stepped).toHaveLength(2);
    bench.session().join([0]);
    await host.advance(100);
    expect(bench.stepped).toEqual(["0-0", "0-1", "0-2", "0-3"]);
    expect(bench.reader.ownership(PARTITION).isOurs).toBe(true);
  });

  test("has a call that waits given back and stepped again where the partition stays", async () => {
    await reading(2);
    void bench.session().handlers.onRebalancing();
    settle("0-0");
    bench.claims.get("0-1")?.giveBack();
    await host.advance(200);
    expect(committed().at(-1)).toBe(1);
    bench.session().join([0]);
    await host.advance(100);
    expect(bench.stepped).toEqual(["0-0", "0-1", "0-1"]);
  });

  test("waits for a request that hangs for a second, and half a second for a commit that does", async () => {
    await reading(2);
    settle("0-0");
    let mayJoin = false;
    bench.session().commitTakes = new Promise(() => undefined);
    void bench
      .session()
      .handlers.onRebalancing()
      .then(() => {
        mayJoin = true;
      });
    await host.advance(1_499);
    expect(mayJoin).toBe(false);
    await host.advance(1);
    expect(mayJoin).toBe(true);
  });

  /** All waits are over; the member asks to join. */
  async function handedOver(): Promise<void> {
    const mayJoin = bench.session().handlers.onRebalancing();
    await host.advance(1_500);
    await mayJoin;
  }

  test("goes on with its work when it could not join", async () => {
    bench.session().join([0]);
    await host.advance(0);
    await bench.session().handlers.onRebalancing();
    fetch(bench, 0, 0, 1);
    await host.advance(100);
    expect(bench.stepped).toEqual([]);
    bench.session().handlers.onJoinFailed();
    await host.advance(100);
    expect(bench.stepped).toEqual(["0-0"]);
  });

  test("sends no commit while it waits for its join, however long that is; then at once", async () => {
    await reading(1);
    await handedOver();
    const { commits } = bench.session();
    commits.length = 0;
    bench.session().failsToCommitWith = passing;
    settleAll(bench);
    await host.advance(30_000);
    expect([commits.length, bench.session().rejoins, bench.sessions.length]).toEqual([0, 0, 1]);
    bench.session().failsToCommitWith = undefined;
    bench.session().join([0]);
    await host.advance(100);
    expect(commits.flat()).toMatchObject([{ partition: 0, offset: 1 }]);
  });

  test("that is to stop while it waits for its join commits what it has done after that, and leaves then", async () => {
    await reading(1);
    await handedOver();
    bench.session().commits.length = 0;
    const stopped = bench.reader.stop(10_000);
    settleAll(bench);
    await host.advance(5_000);
    expect([bench.session().commits, bench.session().isStopped]).toEqual([[], false]);
    bench.session().join([0]);
    await host.advance(200);
    await stopped;
    expect(bench.session().commits.flat()).toMatchObject([{ partition: 0, offset: 1 }]);
  });

  test("commits again after a join that has failed", async () => {
    await reading(1);
    await handedOver();
    settleAll(bench);
    bench.session().handlers.onJoinFailed();
    await host.advance(1_000);
    expect(bench.session().commits.at(-1)).toMatchObject([{ partition: 0, offset: 1 }]);
  });

  test("commits before a join whatever a session that has ended was about to join", async () => {
    await reading(2);
    void bench.session().handlers.onRebalancing();
    await host.advance(600);
    bench.session().handlers.onCrash(passing);
    await host.advance(200);
    expect(bench.sessions).toHaveLength(2);
    void bench.session().handlers.onRebalancing();
    // The first one's wait is over now, the second one's is not.
    await host.advance(500);
    bench.open.get("0-0")?.({ produce: [] });
    await host.advance(100);
    expect(bench.session().commits.flat()).toContainEqual(expect.objectContaining({ offset: 1 }));
  });

  test("goes on with its work when its session ends while it joins", async () => {
    await reading(1);
    settleAll(bench);
    await bench.session().handlers.onRebalancing();
    expect(bench.reader.ownership(PARTITION).isOurs).toBe(false);
    bench.session().handlers.onCrash(passing);
    await host.advance(0);
    expect(bench.reader.ownership(PARTITION).isOurs).toBe(true);
  });
});

describe("records that were read, and that the log has lost at its end", () => {
  const cut = { ...PARTITION, fromOffset: 130, startOffset: 0, endOffset: 100 };

  test("are counted", () => {
    const lost: object[] = [];
    restart({ onRecordsLost: (each) => void lost.push(each) });
    bench.session().handlers.onLogCut(cut);
    expect(lost).toEqual([{ ...PARTITION, records: 30, kind: "truncated" }]);
  });

  test("are read again from a time on", () => {
    bench.session().join([0]);
    fetch(bench, 0, 0, 3);
    settleAll(bench);
    expect(bench.session().handlers.onLogCut(cut)).toBe(0);
  });

  test.each([
    ["are over where the log is empty: its end is committed", { startOffset: 100, endOffset: 100 }, 100],
    ["are not over where the log goes on: what is read next says so", { startOffset: 0, endOffset: 100 }, 3],
  ])("%s", async (_, log, place) => {
    bench.session().join([0]);
    fetch(bench, 0, 0, 3);
    settleAll(bench);
    await host.advance(1_000);
    bench.session().handlers.onLogCut({ ...cut, ...log });
    await host.advance(1_000);
    expect(bench.session().commits.at(-1)).toMatchObject([{ partition: 0, offset: place }]);
  });
});

describe("records that were removed before they were read", () => {
  const gone = { ...PARTITION, fromOffset: 100, toOffset: 130 };

  test("are counted, and said with their partition", () => {
    const lost: object[] = [];
    restart({ onRecordsLost: (each) => void lost.push(each) });
    bench.session().handlers.onRecordsGone(gone);
    expect(lost).toEqual([{ ...PARTITION, records: 30, kind: "unread" }]);
    expect(bench.lines).toEqual([
      {
        level: "error",
        fields: { ...gone, records: 30 },
        message: "records were removed before they were read",
      },
    ]);
  });

  test("are gone by, though no record follows: the log's start is committed", async () => {
    bench.session().join([0]);
    bench.session().handlers.onRecordsGone(gone);
    await host.advance(1_000);
    expect(bench.session().commits.at(-1)).toMatchObject([{ partition: 0, offset: 130 }]);
  });

  test("are none when none is gone", () => {
    const lost: object[] = [];
    restart({ onRecordsLost: (each) => void lost.push(each) });
    bench.session().handlers.onRecordsGone({ ...gone, toOffset: 100 });
    expect([lost, bench.lines]).toEqual([[], []]);
  });
});
