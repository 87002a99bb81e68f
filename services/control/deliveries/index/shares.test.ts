// Recorded calls in several files: they answer as one file would, and are of one index.
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { routedCall, START_MS } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { StatsRollup } from "#topics";
import { STEP_MS } from "./eras.ts";
import { sweep } from "./fixtures/reading.ts";
import { openShared, type SharedIndex } from "./fixtures/shared.ts";
import { Shares } from "./shares.ts";

const { day: DAY_MS, hour: HOUR_MS } = STEP_MS;

let folder: string;
let nowMs: number;
let opened: SharedIndex[];
beforeEach(() => {
  [folder, nowMs, opened] = [scratchFolder(), START_MS, []];
});
afterEach(() => {
  for (const index of opened) index.close();
});

async function open(shares: number): Promise<SharedIndex> {
  const index = await openShared({ folder, shares, nowMs: () => nowMs });
  opened.push(index);
  return index;
}

const call = (offset: number, more = {}) => routedCall({ offset, messageId: `m${offset}`, ...more });
const CALLS = [0, 1, 2].map((partition) => [call(partition), call(partition + 10)]);
const WHOLE = ["routed 6", "sent 6"];

function readCalls(shared: SharedIndex): void {
  for (const [partition, calls] of CALLS.entries()) shared.read("routedCalls", calls, partition);
}

async function counted({ index }: SharedIndex): Promise<string[]> {
  const sums = await index.sumFlow({ fromMs: 0, toMs: nowMs + DAY_MS, stepMs: 4 * 365 * DAY_MS });
  return sums.map(({ calls, stage }) => `${stage} ${calls}`).toSorted();
}

const positions = ({ main, parts }: SharedIndex, shares: number) =>
  [0, 1, 2].map((partition) => (parts[partition % shares] ?? main).position("routedCalls", partition));
const NOTHING_READ = [undefined, undefined, undefined];

describe("an index in several files", () => {
  test("goes on where it was, each partition in its own file", async () => {
    const first = await open(2);
    readCalls(first);
    first.close();
    const again = await open(2);
    expect(positions(again, 2)).toEqual([2, 2, 2]);
    expect(again.parts.map((part) => part.routedCallPartitions())).toEqual([[0, 2], [1]]);
    expect([await counted(again), first.discarded, again.discarded]).toEqual([WHOLE, [], []]);
  });

  test("is thrown away whole when one file is damaged between two runs", async () => {
    const first = await open(2);
    readCalls(first);
    first.close();
    writeFileSync(join(folder, "index.calls-1-of-2.sqlite"), "no database");
    const again = await open(2);
    expect(positions(again, 2)).toEqual(NOTHING_READ);
    expect(again.discarded).toEqual(["recorded calls of one of its threads are missing"]);
    readCalls(again);
    expect(await counted(again)).toEqual(WHOLE);
  });

  test("is thrown away whole when one file throws itself away, and when the main file does", async () => {
    const shared = await open(3);
    const lives = () => new Set([shared.main, ...shared.parts].map(({ createdMs }) => createdMs));
    const [before] = lives();
    for (const part of [shared.parts[2], shared.main]) {
      readCalls(shared);
      part?.discard("it is damaged");
      await shared.index.spans();
      expect(positions(shared, 3)).toEqual(NOTHING_READ);
      expect(lives().size).toBe(1);
      expect(lives()).not.toContain(before);
    }
    readCalls(shared);
    expect([await counted(shared), shared.discarded.length]).toEqual([WHOLE, 2]);
  });

  test("that died before its files had begun with the main file is thrown away whole", async () => {
    const first = await open(2);
    readCalls(first);
    first.close();
    // The main file is created again, and the process ends.
    const { IndexPart } = await import("./index-part.ts");
    const [main, discarded] = [{ folder, nowMs: () => nowMs + 1, shares: 2 }, (): void => undefined];
    const lonely = new IndexPart({ ...main, onDiscarded: discarded });
    lonely.discard("it is damaged");
    lonely.close();
    const again = await open(2);
    expect(positions(again, 2)).toEqual(NOTHING_READ);
  });

  test("is built again for another number of files, and those of the one before are gone", async () => {
    for (const shares of [0, 2, 3, 0]) {
      const shared = await open(shares);
      expect(positions(shared, shares || 1)).toEqual(NOTHING_READ);
      readCalls(shared);
      expect(await counted(shared)).toEqual(WHOLE);
      const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite"));
      const own = Array.from({ length: shares }, (_, share) => `index.calls-${share}-of-${shares}.sqlite`);
      expect(files.toSorted()).toEqual([...own, "index.sqlite"].toSorted());
      shared.close();
    }
  });

  test("counts what roll-ups say of times before it, and nothing twice, whatever number came before", async () => {
    const topics: StatsRollup[][] = [[], []];
    const first = await open(0);
    readCalls(first);
    nowMs += 3 * DAY_MS + 2 * HOUR_MS;
    sweep(first.main, 7 * DAY_MS, { dailyStats: 400 * DAY_MS });
    for (const { record, stepMs } of await first.index.dueRollups(100))
      topics[stepMs === HOUR_MS ? 0 : 1]?.push(record);
    expect(topics.map((records) => records.length)).toEqual([2, 2]);
    first.close();
    nowMs += 20 * DAY_MS;
    for (const shares of [2, 1, 0, 3]) {
      const shared = await open(shares);
      shared.read("hourlyStats", topics[0] ?? []);
      shared.read("dailyStats", topics[1] ?? []);
      // Topics that keep calls for longer have them still: they are in the roll-ups.
      readCalls(shared);
      expect(await counted(shared)).toEqual(WHOLE);
      shared.close();
    }
  });

  test("shares its folder with those of other processes", async () => {
    const [one, other] = [await open(2), await open(2)];
    readCalls(one);
    expect([await counted(one), await counted(other)]).toEqual([WHOLE, []]);
    one.main.discard("it is damaged");
    readCalls(other);
    await one.index.spans();
    expect([await counted(one), await counted(other)]).toEqual([[], WHOLE]);
  });
});

test("files answer when all have begun, and one that cannot begin ends the process", async () => {
  const [main, began] = [await open(0), Promise.withResolvers<void>()];
  const failures: unknown[] = [];
  const ask = async (name: string) => (name === "begin" ? began.promise : name === "spans" ? {} : 0);
  const shares = new Shares({
    ...{ main: main.main, isNew: true, onFailed: (error) => void failures.push(error) },
    shares: [{ ask: ask as never }],
  });
  let isAnswered = false;
  const answered = shares.asked[0]?.ask("spans").then(() => {
    isAnswered = true;
  });
  await new Promise(setImmediate);
  expect(isAnswered).toBe(false);
  const full = new Error("the disk is full");
  began.reject(full);
  await expect(answered).rejects.toBe(full);
  expect(failures).toEqual([full]);
});
