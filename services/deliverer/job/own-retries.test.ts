// A destination with delays or a window of retries of its own.
import { describe, expect, test } from "@jest/globals";
import { createDriver } from "../fixtures/driver.ts";
import { destination, job, response, START_MS } from "../fixtures/jobs.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function failing(settings: Parameters<typeof destination>[0]) {
  const driver = createDriver({ respond: () => response(503) });
  driver.configs.set("d1", destination(settings));
  return driver;
}

const sentAfterMs = ({ sent }: ReturnType<typeof failing>): number[] =>
  sent.map(({ atMs }) => atMs - START_MS);

describe("a destination's own schedule (contract 3.5)", () => {
  test("is kept through the topics that there are: delays that none of them has, in an order of its own", async () => {
    const driver = failing({ retryDelaysMs: [2 * HOUR_MS, 45 * SECOND_MS, 7 * MINUTE_MS] });
    await driver.step(job());
    await driver.run(START_MS + 2 * HOUR_MS + 20 * MINUTE_MS);
    const [first = -1, second = 0, third = 0, fourth = 0] = sentAfterMs(driver);
    // The jitter is a tenth, or one step of the shortest topic's delay; for what is no sum of the topics' delays there is one more.
    const waits = [second - first, third - second, fourth - third];
    const expected = [2 * HOUR_MS, 45 * SECOND_MS, 7 * MINUTE_MS];
    for (const [index, waitMs] of waits.entries()) {
      const leastMs = expected[index] ?? 0;
      expect(waitMs).toBeGreaterThanOrEqual(leastMs);
      expect(waitMs).toBeLessThanOrEqual(leastMs + Math.max(leastMs / 10, 10 * SECOND_MS) + 10 * SECOND_MS);
    }
  });

  test("may last for a day, with its last attempt as late as fits", async () => {
    const driver = failing({ retryWindowMs: 24 * HOUR_MS });
    await driver.step(job());
    await driver.run(START_MS + 25 * HOUR_MS);
    const times = sentAfterMs(driver);
    expect(times.at(-1)).toBeGreaterThan(24 * HOUR_MS - 30 * SECOND_MS);
    expect(times.at(-1)).toBeLessThanOrEqual(24 * HOUR_MS);
    expect(driver.verdicts.at(-1)).toMatchObject({ kind: "dead", reason: "window_over" });
  });

  test("may end before the installation's", async () => {
    const driver = failing({ retryWindowMs: 10 * MINUTE_MS });
    await driver.step(job());
    await driver.run(START_MS + 5 * HOUR_MS);
    expect(sentAfterMs(driver).at(-1)).toBeLessThanOrEqual(10 * MINUTE_MS);
    expect(driver.verdicts.at(-1)).toMatchObject({ kind: "dead", reason: "window_over" });
  });

  test("holds for the next decision of a call that waits already (contract 3.6)", async () => {
    const driver = failing({});
    await driver.step(job());
    driver.configs.set("d1", destination({ retryDelaysMs: [20 * MINUTE_MS], version: 2 }));
    await driver.run(START_MS + HOUR_MS);
    const [, second = 0, third = 0] = sentAfterMs(driver);
    expect(second).toBe(10 * SECOND_MS);
    expect(third - second).toBeGreaterThanOrEqual(20 * MINUTE_MS);
  });

  test("says how long a call waits for the end of a pause that states nothing", async () => {
    const driver = failing({ pausedAtMs: START_MS, retryWindowMs: HOUR_MS });
    await driver.step(job());
    await driver.run(START_MS + HOUR_MS - 1);
    expect(driver.deadLetters).toEqual([]);
    await driver.run(START_MS + HOUR_MS + MINUTE_MS);
    expect(driver.deadLetters).toMatchObject([{ reason: "destination_paused" }]);
  });
});
