import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { batchOf, record } from "../fixtures/stub-session.ts";
import type { Claim, Settle } from "../runner-types.ts";
import type { OutgoingRecord, RawRecord } from "../types.ts";
import { Capacity } from "./capacity.ts";
import { PartitionReader, type PartitionReaderParts } from "./partition-reader.ts";
import type { Work } from "./settlement.ts";

interface Bench {
  readonly partitionReader: PartitionReader<string>;
  /** Offsets in the order of their steps. */
  readonly stepped: number[];
  /** Settles of records that are not settled yet, by offset. */
  readonly open: Map<number, Settle>;
  /** The newest step's, by offset. */
  readonly claims: Map<number, Claim>;
  readonly written: OutgoingRecord[];
  readonly pauses: boolean[];
  readonly log: ReturnType<typeof recordingLogger>["lines"];
}

const partitionReaders: PartitionReader<string>[] = [];

afterEach(() => {
  for (const partitionReader of partitionReaders.splice(0)) partitionReader.close();
});

interface BenchOptions {
  readonly work?: Partial<Work<string>>;
  readonly capacity?: Capacity;
  readonly now?: () => number;
  readonly mayBegin?: () => boolean;
}

function newBench({ work, capacity, now, mayBegin = () => true }: BenchOptions = {}): Bench {
  const { logger, lines } = recordingLogger();
  const bench = {
    stepped: [] as number[],
    open: new Map<number, Settle>(),
    claims: new Map<number, Claim>(),
    written: [] as OutgoingRecord[],
    pauses: [] as boolean[],
  };
  const parts: PartitionReaderParts<string> = {
    logger,
    capacity: capacity ?? new Capacity(1_000, 1e9, systemHost),
    host: now === undefined ? systemHost : { ...systemHost, now },
    setPaused: (_, paused) => bench.pauses.push(paused),
    mayBegin,
    isSure: mayBegin,
    onSettled: () => undefined,
    onLeft: () => undefined,
    work: {
      decode: ({ value }) => String(value),
      step: ({ offset }, settle, claim) => {
        bench.stepped.push(offset);
        bench.claims.set(offset, claim);
        bench.open.set(offset, settle);
      },
      deadLetter: ({ offset }, error) => [
        { topic: "dead", key: error.message, value: Buffer.from(String(offset)) },
      ],
      write: async (records) => void bench.written.push(...records),
      ...work,
    },
  };
  const partitionReader = new PartitionReader<string>({ topic: "t", partition: 0 }, parts);
  partitionReaders.push(partitionReader);
  partitionReader.open();
  return { ...bench, partitionReader, log: lines };
}

/** A bench whose reader was offered these records. */
function offered(from: number, to: number, options?: BenchOptions): Bench {
  const bench = newBench(options);
  bench.partitionReader.offer(batchOf(records(from, to)));
  return bench;
}

/** The partition was another's, and is back. */
function regain({ partitionReader }: Bench): void {
  partitionReader.drop();
  partitionReader.open();
  partitionReader.ownAnew();
}

function settle(bench: Bench, offset: number): void {
  bench.open.get(offset)?.({ produce: [] });
  bench.open.delete(offset);
}

function records(from: number, to: number): RawRecord[] {
  return Array.from({ length: to - from }, (_, i) => record(0, from + i));
}

function soon<T>(condition: () => T | Promise<T>, what: string): Promise<unknown> {
  return until(condition, { timeoutMs: 30_000, what, pollMs: 2 });
}

const poison = Object.assign(new Error("garbage"), { canRetry: false });

describe("partition reader", () => {
  test("taking a batch waits for no step: a slow record holds up nothing behind it (fact 4)", () => {
    const bench = offered(0, 3);
    expect(bench.stepped).toEqual([0, 1, 2]);
    expect(bench.partitionReader.place.committable).toBe(0);
    settle(bench, 1);
    settle(bench, 0);
    expect(bench.partitionReader.place.committable).toBe(2);
  });

  test("a record is committable only when what it becomes is written", async () => {
    const writing = Promise.withResolvers<void>();
    const bench = offered(0, 1, { work: { write: () => writing.promise } });
    bench.open.get(0)?.({ produce: [{ topic: "next", key: null, value: null }] });
    expect(bench.partitionReader.place.committable).toBe(0);
    writing.resolve();
    await soon(() => bench.partitionReader.place.committable === 1, "the commit position");
  });

  test("steps stop at the bound of outstanding records and go on as they settle", async () => {
    const bench = offered(0, 5, { capacity: new Capacity(2, 1e9, systemHost) });
    expect(bench.stepped).toEqual([0, 1]);
    settle(bench, 0);
    await soon(() => bench.stepped.length === 3, "the third step");
    settle(bench, 1);
    settle(bench, 2);
    await soon(() => bench.stepped.length === 5, "the other steps");
    expect(bench.stepped).toEqual([0, 1, 2, 3, 4]);
  });

  test("a record larger than the bound of bytes is stepped when nothing else is outstanding", async () => {
    const bench = newBench({ capacity: new Capacity(10, 300, systemHost) });
    const huge = { ...record(0, 1), value: Buffer.alloc(10_000) };
    bench.partitionReader.offer(batchOf([record(0, 0), huge]));
    expect(bench.stepped).toEqual([0]);
    settle(bench, 0);
    await soon(() => bench.stepped.length === 2, "the huge record's step");
  });

  test("fetching stops while much is held and goes on when it is worked off", async () => {
    const bench = newBench({ capacity: new Capacity(1, 1e9, systemHost) });
    const large = Array.from({ length: 100 }, (_, offset) => ({
      ...record(0, offset),
      value: Buffer.alloc(10_000),
    }));
    bench.partitionReader.offer(batchOf(large));
    expect(bench.pauses).toEqual([true]);
    for (let offset = 0; offset < 100; offset += 1) {
      await soon(() => bench.open.has(offset), `step ${offset}`);
      settle(bench, offset);
    }
    expect(bench.pauses).toEqual([true, false]);
  });

  test("fetching stops as well while much is held of a partition that is not open yet", () => {
    const bench = newBench();
    bench.partitionReader.close();
    bench.partitionReader.offer(batchOf([{ ...record(0, 0), value: Buffer.alloc(600_000) }]));
    expect([bench.stepped, bench.pauses]).toEqual([[], [true]]);
    bench.partitionReader.open();
    expect([bench.stepped, bench.pauses]).toEqual([[0], [true, false]]);
  });

  test("fetching stops as well while much comes behind a head that waits for its time", () => {
    const bench = offered(0, 1, { now: () => 0, work: { dueAtMs: () => 3_600_000 } });
    bench.partitionReader.offer(batchOf([{ ...record(0, 1), value: Buffer.alloc(600_000) }]));
    expect(bench.pauses).toEqual([true]);
  });

  test("a long batch leaves the event loop turns for other work", async () => {
    const bench = newBench({ capacity: new Capacity(1e6, 1e12, systemHost) });
    bench.partitionReader.offer(batchOf(records(0, 2_000)));
    const afterOneTurn = bench.stepped.length;
    expect(afterOneTurn).toBeLessThan(2_000);
    await soon(() => bench.stepped.length === 2_000, "all steps");
  });

  test("a turn that is over stays so, whatever arrives or settles before the next", async () => {
    const bench = offered(0, 300, { capacity: new Capacity(1e6, 1e12, systemHost) });
    expect(bench.stepped).toHaveLength(256);
    bench.partitionReader.offer(batchOf(records(300, 301)));
    bench.claims.get(0)?.giveBack();
    expect(bench.stepped).toHaveLength(256);
    await soon(() => bench.stepped.length === 302, "the other steps");
    expect(bench.stepped.slice(256)).toEqual([0, ...Array.from({ length: 45 }, (_, at) => 256 + at)]);
  });

  test("a step that gives its record back at once is made again in turns, not within itself", async () => {
    let isGivingBack = true;
    let deepest = 0;
    let depth = 0;
    let steps = 0;
    const bench = newBench({
      work: {
        step(_record, _settle, claim) {
          depth += 1;
          steps += 1;
          deepest = Math.max(deepest, depth);
          if (isGivingBack) claim.giveBack();
          depth -= 1;
        },
      },
    });
    bench.partitionReader.offer(batchOf(records(0, 1)));
    expect([steps, deepest]).toEqual([256, 1]);
    isGivingBack = false;
    await soon(() => steps === 257, "the step that keeps it");
  });

  test("a head that waits for its time is looked at once by then, however many arrive behind it", async () => {
    const looks: number[] = [];
    let nowMs = 1_000;
    const dueAtMs = ({ offset }: { offset: number }): number => {
      looks.push(offset);
      return 1_050;
    };
    const bench = newBench({ now: () => nowMs, work: { dueAtMs } });
    for (let offset = 0; offset < 10; offset += 1)
      bench.partitionReader.offer(batchOf(records(offset, offset + 1)));
    expect(looks).toEqual([0]);
    nowMs = 1_050;
    await soon(() => bench.stepped.length === 10, "the steps");
    expect(looks.filter((offset) => offset === 0)).toHaveLength(2);
  });

  test("the head of a partition that is not due waits, and what is behind it too", async () => {
    let nowMs = 1_000;
    const bench = offered(0, 4, {
      now: () => nowMs,
      work: { dueAtMs: ({ offset }) => 1_000 + offset * 100 },
    });
    expect(bench.stepped).toEqual([0]);
    nowMs = 1_200;
    await soon(() => bench.stepped.length === 3, "what is due by now");
    expect(bench.stepped).toEqual([0, 1, 2]);
  });

  test("a clock that is moved hours ahead is noticed within a second", async () => {
    let nowMs = 0;
    const bench = offered(0, 1, { now: () => nowMs, work: { dueAtMs: () => 4 * 3_600_000 } });
    expect(bench.stepped).toEqual([]);
    nowMs = 4 * 3_600_000;
    await soon(() => bench.stepped.length === 1, "the due record");
  });

  test("what is done holds no memory, however long it stays behind a record that is not", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const bench = newBench();
    const values = [0, 1].map((offset) => {
      const value = Buffer.from(`${offset}`);
      bench.partitionReader.offer(batchOf([{ ...record(0, offset), value }]));
      return new WeakRef(value);
    });
    settle(bench, 1);
    bench.claims.clear();
    await new Promise(setImmediate);
    collectGarbage();
    expect(values.map((value) => value.deref()?.toString())).toEqual(["0", undefined]);
    expect(bench.partitionReader.place.doneAhead()?.runs).toEqual([{ from: 1, to: 2 }]);
  });

  test("records fetched again after a rebalance are not stepped again (fact 7)", () => {
    const bench = offered(0, 3);
    bench.partitionReader.ownAnew();
    bench.partitionReader.offer(batchOf(records(0, 2)));
    bench.partitionReader.offer(batchOf(records(2, 5)));
    expect(bench.stepped).toEqual([0, 1, 2, 3, 4]);
    expect(bench.log).toEqual([]);
  });

  test("what was held when the partition went is stepped when it comes back", () => {
    const bench = offered(0, 3, { capacity: new Capacity(1, 1e9, systemHost) });
    bench.partitionReader.drop();
    expect(bench.stepped).toEqual([0]);
    settle(bench, 0);
    bench.partitionReader.open();
    bench.partitionReader.ownAnew();
    bench.partitionReader.offer(batchOf(records(0, 3)));
    expect(bench.stepped).toEqual([0, 1]);
  });

  test("what another member has done meanwhile does not hold the commit back", () => {
    const bench = offered(0, 2);
    regain(bench);
    bench.partitionReader.offer(batchOf(records(10, 11)));
    expect(bench.partitionReader.place.committable).toBe(10);
  });

  test("a log that was cut and written again is read again, and said so", () => {
    const bench = offered(0, 5);
    bench.partitionReader.offer(batchOf(records(2, 4)));
    expect(bench.stepped).toEqual([0, 1, 2, 3, 4, 2, 3]);
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
  });

  test("a log that was cut and written again while another member had it is noticed by its records", () => {
    const bench = offered(0, 6);
    bench.partitionReader.drop();
    bench.partitionReader.ownAnew();
    bench.partitionReader.open();
    const later = records(4, 6).map((record) => ({ ...record, timestampMs: record.timestampMs + 1 }));
    bench.partitionReader.offer(batchOf([...records(2, 4), ...later]));
    expect(bench.stepped).toEqual([0, 1, 2, 3, 4, 5, 4, 5]);
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
    expect(bench.partitionReader.place.committable).toBe(2);
  });

  test("what is held of a log that was cut says nothing of where the reading is", () => {
    for (const isReported of [true, false]) {
      const bench = offered(20, 25, { work: { dueAtMs: () => Number.MAX_SAFE_INTEGER } });
      expect(bench.partitionReader.position).toBe(20);
      if (isReported) bench.partitionReader.cut(0);
      bench.partitionReader.offer(batchOf(records(3, 5)));
      expect(bench.partitionReader.position).toBe(3);
    }
  });

  test("what is held of a log that was cut, and retention has removed since, is where the reading is", () => {
    const bench = offered(20, 25, { work: { dueAtMs: () => Number.MAX_SAFE_INTEGER } });
    bench.partitionReader.cut(22);
    expect(bench.partitionReader.position).toBe(20);
    bench.partitionReader.offer(batchOf(records(22, 24)));
    expect([bench.partitionReader.position, bench.partitionReader.place.committable]).toEqual([20, 20]);
  });

  test("what is given back of a log that was cut, and retention has removed since, is stepped again", () => {
    const bench = offered(20, 23);
    bench.partitionReader.cut(21);
    for (const offset of [20, 21, 22]) bench.claims.get(offset)?.giveBack();
    expect(bench.stepped).toEqual([20, 21, 22, 20]);
  });

  test("a log that is cut after a rebalance is noticed as one, once the reading has passed what was seen before", () => {
    const bench = offered(0, 3);
    bench.partitionReader.ownAnew();
    bench.partitionReader.offer(batchOf(records(1, 2)));
    bench.partitionReader.offer(batchOf(records(2, 5)));
    expect(bench.log).toEqual([]);
    bench.partitionReader.offer(batchOf(records(2, 4)));
    expect(bench.log.map(({ level }) => level)).toEqual(["error"]);
    expect(bench.stepped).toEqual([0, 1, 2, 3, 4, 2, 3]);
  });

  test("an undecodable record becomes a dead letter", async () => {
    const decode = (): string => {
      throw poison;
    };
    const bench = offered(0, 1, { work: { decode } });
    await soon(() => bench.partitionReader.place.committable === 1, "the commit position");
    expect(bench.written).toEqual([{ topic: "dead", key: "garbage", value: Buffer.from("0") }]);
  });

  test("a record that is found undecodable later becomes a dead letter too", async () => {
    const bench = offered(0, 2, { work: { decode: () => Promise.reject(poison) } });
    await soon(() => bench.partitionReader.place.committable === 2, "the commit position");
    expect(bench.written).toHaveLength(2);
  });

  test("while the schema cannot be had the partition waits; nothing is dead-lettered, nothing overtakes", async () => {
    let isAway = true;
    const decode = ({ value }: RawRecord): string => {
      if (isAway) throw Object.assign(new Error("registry away"), { canRetry: true });
      return String(value);
    };
    const bench = offered(0, 2, { work: { decode } });
    await soon(() => bench.log.length >= 2, "a second try");
    expect(bench.stepped).toEqual([]);
    isAway = false;
    await soon(() => bench.stepped.length === 2, "the steps");
    expect(bench.stepped).toEqual([0, 1]);
    expect(bench.written).toEqual([]);
  });

  test("a schema that comes later holds the partition in order", async () => {
    const schema = Promise.withResolvers<string>();
    const decode = ({ offset }: RawRecord): string | Promise<string> =>
      offset === 0 ? schema.promise : "known";
    const bench = offered(0, 2, { work: { decode } });
    expect(bench.stepped).toEqual([]);
    schema.resolve("fetched");
    await soon(() => bench.stepped.length === 2, "the steps");
    expect(bench.stepped).toEqual([0, 1]);
  });

  test("a partition reader that was dropped while a schema was fetched does not step the old record", async () => {
    const schema = Promise.withResolvers<string>();
    const bench = offered(0, 1, { work: { decode: () => schema.promise } });
    bench.partitionReader.drop();
    schema.resolve("fetched");
    await schema.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(bench.stepped).toEqual([]);
  });
});

describe("a partition reader that may have lost its partition", () => {
  test("steps nothing while its member is not sure of it, and then goes on", async () => {
    let isMember = false;
    const bench = offered(0, 3, { mayBegin: () => isMember });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(bench.stepped).toEqual([]);
    isMember = true;
    await soon(() => bench.stepped.length === 3, "the steps");
  });

  test("steps what is given back again, in its place, and commits nothing behind it until then", async () => {
    let isMember = true;
    const bench = offered(0, 5, { mayBegin: () => isMember, capacity: new Capacity(3, 1e9, systemHost) });
    isMember = false;
    expect(bench.claims.get(1)?.isOurs).toBe(false);
    for (const offset of [2, 1]) bench.claims.get(offset)?.giveBack();
    settle(bench, 0);
    expect(bench.partitionReader.place.committable).toBe(1);
    isMember = true;
    await soon(() => bench.stepped.length === 6, "the steps");
    expect(bench.stepped).toEqual([0, 1, 2, 1, 2, 3]);
    expect(bench.claims.get(1)?.isOurs).toBe(true);
    for (const offset of [1, 2, 3]) settle(bench, offset);
    expect(bench.partitionReader.place.committable).toBe(4);
  });

  test("steps the oldest record that is not done again, too, when it is given back", async () => {
    let isMember = true;
    const bench = offered(0, 2, { mayBegin: () => isMember });
    isMember = false;
    bench.claims.get(0)?.giveBack();
    isMember = true;
    await soon(() => bench.stepped.length === 3, "the step");
    expect(bench.stepped).toEqual([0, 1, 0]);
    for (const offset of [0, 1]) settle(bench, offset);
    expect(bench.partitionReader.place.committable).toBe(2);
  });

  test("leaves what is given back after the loss to the next owner, and reads it again should that be itself", () => {
    const bench = offered(0, 3);
    bench.partitionReader.drop();
    expect(bench.claims.get(1)?.isOurs).toBe(false);
    bench.claims.get(1)?.giveBack();
    expect(bench.stepped).toEqual([0, 1, 2]);
    bench.partitionReader.open();
    bench.partitionReader.ownAnew();
    bench.partitionReader.offer(batchOf(records(0, 3)));
    expect(bench.stepped).toEqual([0, 1, 2, 1, 2]);
  });

  test("a hold ends with the loss, also when the partition is back; what is given back only then is stepped again", () => {
    const bench = offered(0, 2);
    const [old, hold] = [bench.claims.get(1), bench.partitionReader.ownership];
    expect(hold.isOurs).toBe(true);
    regain(bench);
    bench.partitionReader.offer(batchOf(records(0, 3)));
    expect([old?.isOurs, hold.isOurs, bench.partitionReader.ownership.isOurs]).toEqual([false, false, true]);
    old?.giveBack();
    expect(bench.stepped).toEqual([0, 1, 2, 1]);
    settle(bench, 0);
    settle(bench, 2);
    expect(bench.partitionReader.place.committable).toBe(1);
  });

  test("keeps what is given back between the first batch of a new term and its opening", () => {
    const bench = offered(0, 2);
    const old = bench.claims.get(1);
    bench.partitionReader.drop();
    bench.partitionReader.ownAnew();
    bench.partitionReader.offer(batchOf(records(0, 3)));
    old?.giveBack();
    bench.partitionReader.open();
    expect(bench.stepped).toEqual([0, 1, 1, 2]);
    settle(bench, 0);
    settle(bench, 2);
    expect(bench.partitionReader.place.committable).toBe(1);
  });

  test("commits nothing behind what is given back while it is closed for good", () => {
    const bench = offered(0, 3);
    bench.partitionReader.close();
    bench.claims.get(1)?.giveBack();
    settle(bench, 0);
    settle(bench, 2);
    expect([bench.stepped, bench.partitionReader.place.committable]).toEqual([[0, 1, 2], 1]);
  });

  test("does not step again what another member has done by then", () => {
    const bench = offered(0, 2);
    const old = bench.claims.get(1);
    regain(bench);
    bench.partitionReader.offer(batchOf(records(5, 6)));
    old?.giveBack();
    expect(bench.stepped).toEqual([0, 1, 5]);
    settle(bench, 5);
    expect(bench.partitionReader.place.committable).toBe(6);
  });
});
