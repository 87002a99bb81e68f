import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Kafka, TopicPartition } from "#kafka";
import { recordedLog } from "#support/recorded-log";
import { watchLag } from "./watch-lag.ts";

/** Partitions of two topics with these lags; looks happen when the test says so. */
function setup(counts?: (partition: TopicPartition) => boolean) {
  const lags = new Map([
    ["one", [3, 4]],
    ["two", [5, 70]],
  ]);
  const world = { isAway: false, asked: [] as string[], everyMs: 0, isCleared: false };
  let work = (): void => undefined;
  let stop = (): unknown => undefined;
  const { logger, lines } = recordedLog();
  const admin = {
    async consumerLag(groupId: string, topic: string) {
      world.asked.push(`${groupId} ${topic}`);
      if (world.isAway) throw new Error("away");
      return (lags.get(topic) ?? []).map((lag, partition) => ({ partition, lag }));
    },
  };
  const watch = watchLag(
    {
      host: {
        ...systemHost,
        setInterval(given, everyMs) {
          [work, world.everyMs] = [given, everyMs];
          return {
            clear() {
              world.isCleared = true;
            },
          };
        },
      },
      lifecycle: {
        onStop(_name: string, given: () => unknown) {
          stop = given;
        },
      } as never,
      logger,
    },
    { kafka: { admin: () => admin } as unknown as Kafka },
    { groupId: "g", topics: ["one", "two"], ...(counts && { counts }) },
  );
  async function look(): Promise<number> {
    work();
    await new Promise(setImmediate);
    return watch.records;
  }
  return { lines, look, stop: () => stop(), watch, world };
}

test("the lag is that of all topics, as of the last look that succeeded; looks end with the process", async () => {
  const { lines, look, stop, watch, world } = setup();
  expect([watch.records, world.everyMs, world.asked]).toEqual([0, 15_000, []]);
  expect([await look(), world.asked]).toEqual([82, ["g one", "g two"]]);
  world.isAway = true;
  expect([await look(), lines.map(({ level }) => level)]).toEqual([82, ["debug"]]);
  stop();
  expect(world.isCleared).toBe(true);
});

test("the lag of partitions that do not count is left out", async () => {
  const own = new Set(["one 1", "two 0"]);
  const { look } = setup(({ topic, partition }) => own.has(`${topic} ${partition}`));
  expect(await look()).toBe(9);
  own.delete("one 1");
  expect(await look()).toBe(5);
});
