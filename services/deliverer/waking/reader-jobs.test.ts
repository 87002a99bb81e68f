import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Claim, Settle, Step } from "#kafka";
import type { DeliveryJob } from "#topics";
import { cursorsOn, type Disk, endpointOf, type Log, logOf, NOW_MS, partsOf } from "../fixtures/pass.ts";
import { runPass } from "./pass.ts";
import { ReaderJobs } from "./reader-jobs.ts";

const NEVER = new AbortController().signal;
const A = new Map([[endpointOf("a"), NOW_MS]]);
const HOP = [{ topic: "retry-1m", key: "k", value: Buffer.alloc(0) }];

/** The runner of the retry topic: what it writes and what it takes back is the test's to end. */
function createReader(log: Log) {
  const jobs = new ReaderJobs();
  const inHand: { settle: Settle; claim: Claim }[] = [];
  const step = jobs.following((_record, settle, claim) => void inHand.push({ settle, claim }));
  const reader = { next: 0, isOurs: true, givenBack: [] as number[] };
  return {
    jobs,
    reader,
    inHand,
    position: () => reader.next,
    /** Takes the record at its place in hand; gives the acknowledgement of what becomes of it. */
    take(): { acknowledge(): void } {
      const record = log.records[reader.next];
      const decoded = log.jobs.get(reader.next);
      if (record === undefined || decoded === undefined) throw new Error("there is no more");
      reader.next += 1;
      let onDurable: (() => void) | undefined;
      const settle: Settle = (outcome) => {
        onDurable = outcome.onDurable;
        if (outcome.produce.length === 0) onDurable?.();
      };
      const giveBack = () => {
        reader.givenBack.push(record.offset);
        reader.next = Math.min(reader.next, record.offset);
      };
      step({ ...record, decoded }, settle, { isOurs: true, giveBack });
      return { acknowledge: () => onDurable?.() };
    },
  };
}

/** A host whose time passes only for waits that are too long. */
const impatient = { ...systemHost, setTimeout: (work: () => void) => systemHost.setTimeout(work, 1) };

const delivering: Step<DeliveryJob> = (_, settle) => settle({ produce: [] });

/** Offsets that the next owner of the partition would pass over. */
function passedOver(log: Log, disk: Disk): number[] {
  const cursors = cursorsOn(disk);
  return log.records.flatMap((record) => {
    const destinationId = log.jobs.get(record.offset)?.destinationId ?? "";
    return cursors.isTaken({ ...record, destinationId }) ? [record.offset] : [];
  });
}

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

describe("a job that the topic's reader has in hand", () => {
  test("is behind no cursor while a pass delivers what follows it: a process that dies then has not lost it", async () => {
    const log = logOf(["a", "b", "a"]);
    const disk: Disk = new Map();
    const { inHand, jobs, position, take } = createReader(log);
    take();
    const parts = partsOf({ log, disk, step: delivering, position, readerJobs: jobs });
    const pass = runPass(A, parts, NEVER);
    await turns();
    expect(passedOver(log, disk)).toEqual([]);
    inHand[0]?.settle({ produce: [] });
    expect((await pass).taken).toBe(1);
    expect(passedOver(log, disk)).toEqual([0, 2]);
  });

  test("is behind no cursor before the topic that it waits in next has it", async () => {
    const log = logOf(["a", "a"]);
    const disk: Disk = new Map();
    const { inHand, jobs, position, take } = createReader(log);
    const { acknowledge } = take();
    const parts = partsOf({ log, disk, step: delivering, position, readerJobs: jobs });
    const pass = runPass(A, parts, NEVER);
    inHand[0]?.settle({ produce: HOP });
    await turns();
    expect(passedOver(log, disk)).toEqual([]);
    acknowledge();
    await pass;
    expect(passedOver(log, disk)).toEqual([0, 1]);
  });

  test("and that it gives back is not passed over when it is read again", async () => {
    const log = logOf(["a", "a"]);
    const disk: Disk = new Map();
    const { inHand, jobs, position, reader, take } = createReader(log);
    take();
    const parts = partsOf({ log, disk, step: delivering, position, readerJobs: jobs });
    const pass = runPass(A, parts, NEVER);
    await turns();
    inHand[0]?.claim.giveBack();
    await pass;
    expect(reader.givenBack).toEqual([0]);
    expect(passedOver(log, disk)).toEqual([]);
    const again = await runPass(A, parts, NEVER);
    expect(again.taken).toBeGreaterThan(0);
    expect(passedOver(log, disk)).toEqual([0, 1]);
  });

  test("holds a pass up for a bounded time only", async () => {
    const log = logOf(["a", "a"]);
    const disk: Disk = new Map();
    const { jobs, position, take } = createReader(log);
    take();
    const bench = { log, disk, step: delivering, position, readerJobs: jobs, host: impatient };
    expect((await runPass(A, partsOf(bench), NEVER)).taken).toBe(1);
    expect(passedOver(log, disk)).toEqual([]);
  });

  test("is not taken by a pass that comes to it later, and no cursor goes past it", async () => {
    const log = logOf(["a", "a", "a"]);
    const disk: Disk = new Map();
    const { inHand, jobs, position, take } = createReader(log);
    const taken: number[] = [];
    const step: Step<DeliveryJob> = ({ offset }, settle) => {
      taken.push(offset);
      // The reader overtakes the pass.
      if (offset === 0) for (let count = 0; count < 2; count += 1) take();
      settle({ produce: [] });
    };
    const parts = partsOf({ log, disk, step, position, readerJobs: jobs });
    const pass = runPass(A, parts, NEVER);
    await turns();
    expect(taken).toEqual([0, 2]);
    inHand[0]?.settle({ produce: [] });
    expect(passedOver(log, disk)).toEqual([]);
    inHand[1]?.settle({ produce: [] });
    await pass;
    expect(passedOver(log, disk)).toEqual([0, 1, 2]);
  });

  test("of another destination, or another partition, holds no cursor back", async () => {
    const log = logOf(["b", "a"]);
    const disk: Disk = new Map();
    const { jobs, position, take } = createReader(log);
    take();
    jobs.following(() => undefined)(
      {
        topic: "retry",
        partition: 1,
        offset: 0,
        key: "a:0",
        value: null,
        timestampMs: 0,
        decoded: log.jobs.get(1) as DeliveryJob,
      },
      () => undefined,
      { isOurs: true, giveBack: () => undefined },
    );
    await runPass(A, partsOf({ log, disk, step: delivering, position, readerJobs: jobs }), NEVER);
    expect(passedOver(log, disk)).toEqual([1]);
  });
});

test("of a partition of which the reader has had nothing there is nothing in its hand", () => {
  const jobs = new ReaderJobs();
  const place = { topic: "retry", partition: 0, offset: 0 };
  expect([jobs.of(place), jobs.at(place), jobs.mayHaveTaken(place)]).toEqual([[], undefined, false]);
});

test("a job that the reader had in an earlier time with the partition is taken, now that the group's reading is before it", async () => {
  const log = logOf(["a", "a"]);
  const { jobs, position, reader, take } = createReader(log);
  for (const _ of log.records) take().acknowledge();
  reader.next = 0;
  const taken: string[] = [];
  const step: Step<DeliveryJob> = ({ decoded }, settle) => {
    taken.push(decoded.jobId);
    settle({ produce: [] });
  };
  await runPass(A, partsOf({ log, step, position, readerJobs: jobs }), NEVER);
  expect(taken).toEqual(["j0", "j1"]);
});

test("a job that the reader has taken and ended while the pass was on its way to it is not taken again", async () => {
  const log = logOf(["a", "a"]);
  const disk: Disk = new Map();
  const { inHand, jobs, position, take } = createReader(log);
  const taken: string[] = [];
  const step: Step<DeliveryJob> = ({ decoded }, settle) => {
    taken.push(decoded.jobId);
    for (const _ of log.records) take();
    for (const { settle: ended } of inHand) ended({ produce: [] });
    settle({ produce: [] });
  };
  await runPass(A, partsOf({ log, disk, step, position, readerJobs: jobs }), NEVER);
  expect(taken).toEqual(["j0"]);
  expect(passedOver(log, disk)).toEqual([0, 1]);
});
