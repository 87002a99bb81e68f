// Steps that are rolled up, and roll-ups that are written and read again, in real index files.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { deadLetter, routedCall, START_MS, total } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { StatsRollup } from "#topics";
import { DeliveryIndex, type DueRollup } from "./delivery-index.ts";
import { STEP_MS } from "./eras.ts";
import { readInto, sweep } from "./fixtures/reading.ts";
import { rowCounts } from "./fixtures/row-counts.ts";
import { IndexPart } from "./index-part.ts";

const { day: DAY_MS, hour: HOUR_MS, minute: MINUTE_MS } = STEP_MS;
const YEARS_MS = 4 * 365 * DAY_MS;

let folder: string;
let nowMs: number;
const opened: IndexPart[] = [];
beforeEach(() => {
  nowMs = START_MS;
  folder = scratchFolder();
});
afterEach(() => {
  for (const index of opened.splice(0)) index.close();
  const { said, there } = rowCounts(folder);
  expect(said).toEqual(there);
});

const discarded: string[] = [];
function open(name = "first"): IndexPart {
  const onDiscarded = (why: string): void => void discarded.push(why);
  const index = new IndexPart({ folder: join(folder, name), nowMs: () => nowMs, onDiscarded });
  opened.push(index);
  return index;
}

const swept = (index: IndexPart, maxRows?: number) =>
  sweep(index, 7 * DAY_MS, { dailyStats: 400 * DAY_MS, ...(maxRows !== undefined && { maxRows }) });

/** All that is counted, as "stage reason calls" and "outcome requests", by step. */
function counted(index: IndexPart, stepMs: number = YEARS_MS): Record<string, string[]> {
  const range = { fromMs: 0, toMs: nowMs + DAY_MS };
  const requests = index.sumRequests({ ...range, stepMs, destinationId: "d1" });
  const lines = [
    ...index
      .sumFlow({ ...range, stepMs })
      .map(({ atMs, calls, reason, stage }) => [atMs, `${stage} ${reason} ${calls}`] as const),
    ...requests.map(({ atMs, counts }) => [atMs, `success ${counts.outcomes["success"]}`] as const),
  ];
  const groups = Map.groupBy(lines, ([atMs]) => new Date(atMs).toISOString());
  return Object.fromEntries([...groups].map(([at, of]) => [at, of.map(([, line]) => line).toSorted()]));
}

/** Sends what is due as the service does, and what the topics then have. */
async function written(
  part: IndexPart,
  topics: Record<"hourlyStats" | "dailyStats", StatsRollup[]>,
): Promise<DueRollup[]> {
  const index = new DeliveryIndex(part);
  const all: DueRollup[] = [];
  for (let due = await index.dueRollups(3); due.length > 0; due = await index.dueRollups(3)) {
    const news = due.filter(({ isNews }) => isNews);
    for (const { record, stepMs } of news)
      topics[stepMs === DAY_MS ? "dailyStats" : "hourlyStats"].push(record);
    await index.settleRollups(due);
    all.push(...news);
  }
  return all;
}

let made = 0;
const next = (): number => {
  made += 1;
  return made;
};
const call = (atMs: number) => routedCall({ offset: next(), messageId: `m${made}`, receivedAtMs: atMs });
const request = (atMs: number) => total({ sequence: next(), minuteMs: atMs - (atMs % MINUTE_MS) });

describe("steps", () => {
  test("become hours and days when they are old, and count the same in every step", () => {
    let run = 0;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3 * DAY_MS }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 20 * DAY_MS }), { minLength: 1, maxLength: 4 }),
        (ages, passes) => {
          nowMs = START_MS;
          run += 1;
          const index = open(`${run}`);
          const times = ages.map((ageMs) => nowMs - ageMs);
          readInto(index, "routedCalls", times.map(call));
          readInto(index, "totals", times.map(request));
          const before = counted(index, DAY_MS);
          for (const passedMs of passes) {
            nowMs += passedMs;
            swept(index);
            expect(counted(index, DAY_MS)).toEqual(before);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test("are whole where they are asked for: minutes of two days, hours of thirty", () => {
    const index = open();
    const [minutes, hours] = [nowMs - 2 * DAY_MS, nowMs - 30 * DAY_MS];
    const old = call(hours - 30 * DAY_MS);
    readInto(index, "routedCalls", [call(minutes), call(minutes + 59 * MINUTE_MS), old]);
    swept(index);
    expect(Object.keys(counted(index, MINUTE_MS))).toEqual([
      "2025-12-30T00:00:00.000Z",
      "2025-12-30T00:59:00.000Z",
    ]);
    nowMs += 2 * HOUR_MS;
    swept(index);
    expect(counted(index, MINUTE_MS)).toEqual({ "2025-12-30T00:00:00.000Z": ["routed  2", "sent  2"] });
    nowMs += 40 * DAY_MS;
    swept(index);
    expect(Object.keys(counted(index, HOUR_MS))).toEqual(["2025-12-30T00:00:00.000Z"]);
    nowMs += 400 * DAY_MS;
    swept(index);
    expect(counted(index)).toEqual({});
  });

  test("of which there are too many become hours before their time, and nothing is lost", () => {
    const index = open();
    nowMs += 20 * HOUR_MS;
    const times = Array.from({ length: 1_000 }, (_, minute) => START_MS + minute * MINUTE_MS);
    readInto(index, "routedCalls", times.map(call));
    readInto(index, "totals", times.map(request));
    swept(index, 900);
    expect(Object.values(counted(index))).toEqual([["routed  1000", "sent  1000", "success 1000"]]);
    expect(Object.keys(counted(index, MINUTE_MS)).length).toBeLessThan(1_000);
  });
});

describe("roll-ups", () => {
  const topics = { hourlyStats: [] as StatsRollup[], dailyStats: [] as StatsRollup[] };
  beforeEach(() => {
    topics.hourlyStats = [];
    topics.dailyStats = [];
  });

  /** Days of calls and requests, each read when it came and rolled up when it is old. */
  async function live(index: IndexPart, days: number): Promise<void> {
    for (let hour = 0; hour < days * 24; hour += 1) {
      if (hour % 7 === 0) {
        readInto(index, "routedCalls", [call(nowMs), call(nowMs + MINUTE_MS)]);
        readInto(index, "totals", [request(nowMs)]);
      }
      nowMs += HOUR_MS;
      if (hour % 24 === 23) {
        swept(index);
        await written(index, topics);
      }
    }
  }

  test("make an index that is created again count what the one before counted", async () => {
    const first = open();
    await live(first, 60);
    const second = open("second");
    readInto(second, "hourlyStats", topics.hourlyStats);
    readInto(second, "dailyStats", topics.dailyStats);
    const from = nowMs - 7 * DAY_MS;
    const whole = counted(first, DAY_MS);
    expect(Object.keys(whole)).toHaveLength(60);
    const kept = Object.entries(counted(first, HOUR_MS)).filter(([at]) => Date.parse(at) >= from - DAY_MS);
    const again = kept.flatMap(([at, lines]) =>
      lines.includes("routed  2") ? [call(Date.parse(at)), call(Date.parse(at))] : [],
    );
    readInto(second, "routedCalls", again);
    readInto(
      second,
      "totals",
      kept.filter(([, lines]) => lines.includes("success 1")).map(([at]) => request(Date.parse(at))),
    );
    swept(second);
    expect(counted(second, DAY_MS)).toEqual(whole);
    const hours = (index: IndexPart) =>
      Object.entries(counted(index, HOUR_MS)).filter(([at]) => Date.parse(at) >= nowMs - 30 * DAY_MS);
    expect(hours(second)).toEqual(hours(first));
    // Its topics have them already.
    expect(await written(second, topics)).toEqual([]);
  });

  test("are written again when counts come late, and the newer one replaces the older", async () => {
    const first = open();
    readInto(first, "routedCalls", [call(nowMs)]);
    nowMs += 3 * DAY_MS + 2 * HOUR_MS;
    swept(first);
    const steps = (await written(first, topics)).map(({ stepMs }) => stepMs);
    expect(steps).toEqual([HOUR_MS, HOUR_MS, DAY_MS, DAY_MS]);
    readInto(first, "hourlyStats", topics.hourlyStats);
    readInto(first, "deadLetters", [deadLetter({ receivedAtMs: START_MS })]);
    swept(first);
    expect(await written(first, topics)).toHaveLength(2);
    nowMs += 20 * DAY_MS;
    const second = open("second");
    readInto(second, "hourlyStats", topics.hourlyStats);
    readInto(second, "dailyStats", topics.dailyStats);
    // The dead letter is kept for longer than calls, and is in the roll-up.
    readInto(second, "deadLetters", [deadLetter({ receivedAtMs: START_MS })]);
    expect(counted(second)).toEqual(counted(first));
    expect(Object.values(counted(second))).toEqual([["dead permanent 1", "routed  1", "sent  1"]]);
  });

  test("stay due until they are written, and when something has come to them meanwhile", async () => {
    const index = open();
    readInto(index, "routedCalls", [call(nowMs)]);
    nowMs += 3 * DAY_MS + 2 * HOUR_MS;
    swept(index);
    const asked = new DeliveryIndex(index);
    const due = await asked.dueRollups(10);
    expect(await asked.dueRollups(10)).toEqual(due);
    readInto(index, "routedCalls", [call(START_MS)]);
    swept(index);
    await asked.settleRollups(due);
    const again = await asked.dueRollups(10);
    expect(again.map(({ record: { calls } }) => calls[0]?.calls)).toEqual([2, 2, 2, 2]);
  });

  test("that count less are not written over those that count more", async () => {
    const [first, behind] = [open(), open("behind")];
    readInto(first, "routedCalls", [call(nowMs), call(nowMs)]);
    readInto(behind, "routedCalls", [call(nowMs)]);
    nowMs += 3 * DAY_MS + 2 * HOUR_MS;
    swept(first);
    swept(behind);
    await written(first, topics);
    readInto(behind, "hourlyStats", topics.hourlyStats);
    readInto(behind, "dailyStats", topics.dailyStats);
    expect(await written(behind, topics)).toEqual([]);
  });

  test("are not waited for by an index that was away for longer than topics keep calls: it is made again", () => {
    const index = open();
    readInto(index, "routedCalls", [call(nowMs)]);
    swept(index);
    index.close();
    nowMs += 5 * DAY_MS;
    const soon = open();
    expect(soon.position("routedCalls", 0)).toBe(1);
    swept(soon);
    soon.close();
    nowMs += 6 * DAY_MS + HOUR_MS;
    expect(open().position("routedCalls", 0)).toBeUndefined();
    expect(discarded.splice(0)).toEqual(["it was not used for six days"]);
  });
});

describe("names of events", () => {
  const named = (event: string | null, atMs = nowMs) => ({ ...call(atMs), event });
  const names = (index: IndexPart) => {
    const range = { fromMs: 0, toMs: nowMs + DAY_MS, stepMs: YEARS_MS };
    return Object.fromEntries(index.sumNames(range).flatMap(({ counts }) => [...counts]));
  };

  test("are counted with their calls, before and after they are rolled up, and in roll-ups", async () => {
    const index = open();
    const body = Buffer.from('{"version":1,"type":"track","event":"A"}');
    readInto(index, "routedCalls", [
      named("A"),
      named("A"),
      named("B"),
      named(null),
      { ...named("A"), outcome: "duplicate" },
    ]);
    readInto(index, "deadLetters", [deadLetter({ receivedAtMs: nowMs, body })]);
    const counts = {
      A: { routed: 2, "dropped duplicate": 1, sent: 3, "dead permanent": 1 },
      B: { routed: 1, sent: 1 },
    };
    expect(names(index)).toEqual(counts);
    nowMs += 3 * DAY_MS + 2 * HOUR_MS;
    swept(index);
    expect(names(index)).toEqual(counts);
    const topics = { hourlyStats: [] as StatsRollup[], dailyStats: [] as StatsRollup[] };
    await written(index, topics);
    nowMs += 20 * DAY_MS;
    const second = open("second");
    readInto(second, "hourlyStats", topics.hourlyStats);
    expect(names(second)).toEqual(counts);
  });

  test("of which a sender makes up ever more are bounded; the most called stay", () => {
    const index = open();
    for (let batch = 0; batch < 40; batch += 1) {
      const made = Array.from({ length: 100 }, () => named(`random ${next()}`));
      readInto(index, "routedCalls", [...made, ...Array.from({ length: 10 }, () => named("Often"))]);
      nowMs += 10_000;
    }
    expect(names(index)).toMatchObject({ Often: { routed: 400, sent: 400 } });
    const [{ counts } = { counts: new Map() }] = index.sumNames({
      fromMs: START_MS,
      toMs: nowMs,
      stepMs: MINUTE_MS,
    });
    expect(counts.size).toBeLessThanOrEqual(150);
    expect(Object.values(counted(index))).toEqual([["routed  4400", "sent  4400"]]);
  });

  test("that are not written yet are written when the index is closed, and those of a call that was routed again are taken back", () => {
    const index = open();
    const first = named("A");
    readInto(index, "routedCalls", [first, named("A")]);
    index.close();
    const again = open();
    readInto(again, "routedCalls", [{ ...first, outcome: "no_destination", destinationIds: [] }]);
    expect(names(again)).toEqual({ A: { routed: 1, sent: 1, "dropped no_destination": 1 } });
  });
});
