import { beforeEach, describe, expect, test } from "@jest/globals";
import { topicMap } from "#topics";
import { Meters } from "../../../test/simulation/world/meters.ts";
import { backlogLook, watchBacklog } from "./backlog-watch.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });
const { calls, deliveryJobs, deliveryRetries } = topics;

let committed: Map<number, number>;
let highs: number[];
/** The offset of the first record that is younger than what was asked for, by partition. */
let youngFrom: number[];
let asked: number[];
/** When the records of a queue's partitions were written. */
let writtenAtMs: number[][] | undefined;

beforeEach(() => {
  committed = new Map();
  [highs, youngFrom, asked, writtenAtMs] = [[0, 0], [0, 0], [], undefined];
});

const admin = {
  committedOffsets: async () => committed,
  offsets: async (_: string) => highs.map((high, partition) => ({ partition, low: 0, high })),
  offsetForTime: async (_: string, timestampMs: number) => {
    asked.push(timestampMs);
    if (writtenAtMs !== undefined)
      return writtenAtMs.map((times, partition) => {
        return { partition, offset: times.filter((atMs) => atMs < timestampMs).length };
      });
    return youngFrom.map((offset, partition) => ({ partition, offset }));
  },
};

function look() {
  return backlogLook(admin, { topic: deliveryJobs, groupId: "g" });
}

/** At a queue whose records are due after ten minutes. */
function lookAtQueue() {
  const [retry = deliveryJobs] = deliveryRetries;
  return backlogLook(admin, { topic: retry, groupId: "g", delayMs: 10 * MINUTE_MS });
}

describe("a partition stalls", () => {
  test("when records wait and nothing was committed for five minutes, also by a group that never has", async () => {
    const lookAt = look();
    highs = [5, 7];
    committed.set(1, 7);
    expect(await lookAt(0)).toEqual({ stalled: 0, expiring: 0 });
    expect((await lookAt(5 * MINUTE_MS - 1)).stalled).toBe(0);
    highs = [9, 7];
    expect((await lookAt(5 * MINUTE_MS)).stalled).toBe(1);
    committed.set(0, 1);
    expect((await lookAt(6 * MINUTE_MS)).stalled).toBe(0);
    expect((await lookAt(11 * MINUTE_MS)).stalled).toBe(1);
  });

  test("not while nothing waits, however long: it counts from the first record that does", async () => {
    const lookAt = look();
    await lookAt(0);
    highs = [1, 0];
    expect((await lookAt(HOUR_MS)).stalled).toBe(0);
    expect((await lookAt(HOUR_MS + 5 * MINUTE_MS)).stalled).toBe(1);
  });

  test("of a queue when a record is due for five minutes: not while all wait for their time", async () => {
    const lookAt = lookAtQueue();
    [highs, writtenAtMs] = [
      [2, 0],
      [[0, HOUR_MS], []],
    ];
    for (const minute of [0, 5, 10, 15]) expect((await lookAt(minute * MINUTE_MS)).stalled).toBe(0);
    expect((await lookAt(16 * MINUTE_MS)).stalled).toBe(1);
    committed.set(0, 1);
    // The next one is due at minute 70.
    for (const minute of [17, 60, 75]) expect((await lookAt(minute * MINUTE_MS)).stalled).toBe(0);
    expect((await lookAt(76 * MINUTE_MS)).stalled).toBe(1);
  });

  test("of a queue not while it moves, however far it is behind", async () => {
    const lookAt = lookAtQueue();
    [highs, writtenAtMs] = [
      [9, 0],
      [new Array(9).fill(0), []],
    ];
    for (const [offset, minute] of [60, 64, 68, 72].entries()) {
      committed.set(0, offset);
      expect((await lookAt(minute * MINUTE_MS)).stalled).toBe(0);
    }
    expect((await lookAt(77 * MINUTE_MS)).stalled).toBe(1);
  });
});

test("a partition expires with records that nobody has worked on and that have less than a third of 72 hours left", async () => {
  const lookAt = look();
  highs = [9, 9];
  youngFrom = [4, 4];
  committed.set(0, 3).set(1, 4);
  expect((await lookAt(100 * HOUR_MS)).expiring).toBe(1);
  expect(asked).toEqual([52 * HOUR_MS]);
});

describe("the watch", () => {
  /** Looks at topics, of which one cannot be looked at while `away` says so. */
  function watched(away: (name: string) => boolean) {
    const metrics = new Meters();
    const said: string[] = [];
    const ticks: (() => void)[] = [];
    const stop = new AbortController();
    let nowMs = 0;
    const host = { now: () => nowMs, setInterval: (tick: () => void) => ticks.push(tick) };
    const say = (level: string) => (facts: { topics: string }) => said.push(`${level} ${facts.topics}`);
    const context = {
      ...{ host, metrics, settings: { topics: { prefix: "" } } },
      logger: { debug: () => undefined, info: say("info"), warn: say("warn") },
      lifecycle: { onStop: () => undefined, stopping: stop.signal },
    };
    const offsets = async (name: string) => {
      if (away(name)) throw new Error("a partition has no leader");
      return await admin.offsets(name);
    };
    watchBacklog(context as never, { kafka: { admin: () => ({ ...admin, offsets }) }, topics } as never);
    return {
      metrics,
      said,
      stop: () => stop.abort(),
      async lookAt(atMs: number) {
        nowMs = atMs;
        for (const tick of ticks) tick();
        await new Promise(setImmediate);
      },
    };
  }

  test("finds what there is where another topic cannot be looked at", async () => {
    const { metrics, lookAt } = watched((name) => name === calls.name);
    highs = [5, 0];
    for (const atMs of [0, 5 * MINUTE_MS]) await lookAt(atMs);
    const stalled = (topic: string) => metrics.value("control_stalled_partitions", { topic });
    expect(["calls", "delivery-jobs", "delivery-retry"].map(stalled)).toEqual([0, 1, 0]);
  });

  test("says nothing of a look that the stop has cut short", async () => {
    const { said, stop, lookAt } = watched(() => {
      stop();
      return true;
    });
    await lookAt(0);
    expect(said).toEqual([]);
  });

  test("says once which topics cannot be looked at, and when they can again", async () => {
    let away = [calls.name, deliveryJobs.name];
    const { said, lookAt } = watched((name) => away.includes(name));
    for (const atMs of [0, 1, 2]) await lookAt(atMs);
    expect(said).toEqual(["warn calls, delivery-jobs"]);
    away = [deliveryJobs.name];
    for (const atMs of [3, 4]) await lookAt(atMs);
    expect(said.slice(1)).toEqual(["info calls"]);
  });
});
