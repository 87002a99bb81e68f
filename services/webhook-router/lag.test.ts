import { expect, test } from "@jest/globals";
import { recordedLog } from "#support/recorded-log";
import { topicMap } from "#topics";
import { watchLag } from "./lag.ts";

/** Looks happen when the test says so. */
function setup() {
  const intervals: { work: () => void; everyMs: number; isCleared: boolean }[] = [];
  const asked: string[][] = [];
  const world = { isAway: false, assigned: [0, 2] };
  const { logger, lines } = recordedLog();
  const watch = watchLag({
    admin: {
      async consumerLag(groupId, topic) {
        asked.push([groupId, topic]);
        if (world.isAway) throw new Error("away");
        return [5, 70, 11].map((lag, partition) => ({ partition, lag }));
      },
    },
    connection: { groupId: "router", topics: topicMap({ prefix: "p-", retryDelaysMs: [1] }) },
    runner: {
      get assigned() {
        return world.assigned.map((partition) => ({ topic: "p-calls", partition }));
      },
    },
    logger,
    host: {
      setInterval(work, everyMs) {
        const interval = { work, everyMs, isCleared: false };
        intervals.push(interval);
        return {
          clear() {
            interval.isCleared = true;
          },
        };
      },
    },
  });
  async function look(): Promise<void> {
    intervals[0]?.work();
    await new Promise(setImmediate);
  }
  return { asked, intervals, lines, look, watch, world };
}

test("the lag is that of the assigned partitions alone, as it was at the last look", async () => {
  const { asked, look, watch, world } = setup();
  expect(watch.calls).toBe(0);
  await look();
  expect([watch.calls, asked]).toEqual([16, [["router", "p-calls"]]]);
  world.assigned = [1];
  expect(watch.calls).toBe(16);
  await look();
  expect(watch.calls).toBe(70);
});

test("a look that fails changes nothing, is said at debug level, and others follow", async () => {
  const { lines, look, watch, world } = setup();
  await look();
  world.isAway = true;
  await look();
  expect(watch.calls).toBe(16);
  expect(lines.map(({ level }) => level)).toEqual(["debug"]);
});

test("it looks every 15 s until it is stopped", () => {
  const { intervals, watch } = setup();
  expect(intervals).toMatchObject([{ everyMs: 15_000, isCleared: false }]);
  watch.stop();
  expect(intervals).toMatchObject([{ isCleared: true }]);
});
