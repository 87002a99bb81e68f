// A paused destination: its calls wait instead of being sent.
import { describe, expect, test } from "@jest/globals";
import { WINDOW_MS } from "#contract";
import type { DeliveryJob } from "#topics";
import { createDriver } from "../fixtures/driver.ts";
import { destination, job, response, START_MS } from "../fixtures/jobs.ts";

const HOUR_MS = 3_600_000;

function paused(options: Parameters<typeof createDriver>[0] = {}, pauseLimitMs?: number) {
  const driver = createDriver(options);
  driver.configs.set("d1", destination({ pausedAtMs: START_MS, ...(pauseLimitMs && { pauseLimitMs }) }));
  return driver;
}

describe("while its destination is paused", () => {
  test("a call waits, without a request, a divert or an outcome", async () => {
    const driver = paused();
    await driver.step(job());
    await driver.run(START_MS + HOUR_MS);
    expect(driver.sent).toEqual([]);
    expect(driver.pending).toMatchObject([
      { attempts: 0, diverts: 0, outcomes: [], firstAttemptAtMs: null, pausedSinceMs: START_MS },
    ]);
    expect(driver.deadLetters).toEqual([]);
  });

  test("a call that a webhook has taken still waits for the one that wanted room", async () => {
    const driver = paused();
    await driver.step(job({ unaskedUrls: ["https://a.test/hook"] }));
    expect(driver.pending).toMatchObject([{ unaskedUrls: ["https://a.test/hook"] }]);
  });

  test("each time that a call was in hand counts, or its deliverer would seem to settle nothing", async () => {
    const driver = paused();
    await driver.step(job());
    await driver.step(job({ jobId: "another" }));
    expect(driver.counts.paused).toBe(2);
  });

  test("a copy of the call waits too, and is sent once with it afterwards", async () => {
    const driver = paused();
    await driver.step(job());
    await driver.step(job());
    driver.configs.set("d1", destination());
    await driver.run();
    expect(driver.sent).toHaveLength(1);
    expect(driver.verdicts).toEqual([{ kind: "delivered" }]);
  });

  test("a call that came before the destination's configuration was read waits as well", async () => {
    const driver = createDriver();
    driver.configs.clear();
    driver.unread.set("d1", destination({ pausedAtMs: START_MS }));
    await driver.step(job());
    expect(driver.pending).toMatchObject([{ pausedSinceMs: START_MS }]);
    driver.configs.set("d1", destination());
    await driver.run();
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });

  test.each([
    { title: "the window", limitMs: undefined, endMs: WINDOW_MS },
    { title: "what the pause states", limitMs: 12 * HOUR_MS, endMs: 12 * HOUR_MS },
  ])("a call waits for $title, and is a dead letter then", async ({ limitMs, endMs }) => {
    const driver = paused({}, limitMs);
    await driver.step(job());
    await driver.run(START_MS + endMs - 1);
    expect(driver.deadLetters).toEqual([]);
    await driver.run();
    expect(driver.deadLetters).toMatchObject([{ reason: "destination_paused", attempts: 0 }]);
    const overMs = (driver.deadLetters[0]?.deadAtMs ?? 0) - START_MS - endMs;
    expect(overMs).toBeGreaterThanOrEqual(0);
    expect(overMs).toBeLessThanOrEqual(10_000);
  });
});

test("the time of a pause does not count in the window of retries", async () => {
  const driver = createDriver({ respond: () => response(503) });
  await driver.step(job());
  driver.clock.nowMs += 1_000;
  driver.configs.set("d1", destination({ pausedAtMs: driver.clock.nowMs, pauseLimitMs: 48 * HOUR_MS }));
  await driver.run(START_MS + 10 * HOUR_MS);
  expect(driver.sent).toHaveLength(1);
  driver.configs.set("d1", destination({ pausedMs: 10 * HOUR_MS - 1_000 }));
  await driver.run();
  expect(driver.deadLetters).toMatchObject([{ reason: "window_over" }]);
  expect(driver.sent.length).toBeGreaterThanOrEqual(12);
  expect(driver.sent[1]?.atMs).toBeGreaterThan(START_MS + 10 * HOUR_MS);
});

describe("a pause that ends before the call comes out of its retry topic", () => {
  const PAUSES_MS = [1_200_000, 1_500_000];
  const lastRequestMs = (driver: ReturnType<typeof createDriver>) =>
    (driver.sent.at(-1)?.atMs ?? 0) - START_MS;

  async function afterPauses(firstPausedMs: number) {
    const driver = createDriver({ respond: () => response(503) });
    let pausedMs = firstPausedMs;
    driver.configs.set("d1", destination({ pausedMs }));
    await driver.step(job());
    for (const [index, lastedMs] of PAUSES_MS.entries()) {
      await driver.run(START_MS + (index + 1) * HOUR_MS);
      pausedMs += lastedMs;
      driver.configs.set("d1", destination({ pausedMs }));
    }
    await driver.run();
    return driver;
  }

  test("does not count in its window either", async () => {
    const driver = await afterPauses(0);
    expect(lastRequestMs(driver)).toBeGreaterThanOrEqual(WINDOW_MS + 2_700_000 - 10_000);
    expect(lastRequestMs(driver)).toBeLessThanOrEqual(WINDOW_MS + 2_700_000);
  });

  test("nor what was over before its first attempt, which is no part of it", async () => {
    expect(lastRequestMs(await afterPauses(9 * HOUR_MS))).toBe(lastRequestMs(await afterPauses(0)));
  });
});

describe("between two versions", () => {
  const failedAt = { firstAttemptAtMs: START_MS, attempts: 3, pausedMs: 60_000 };

  async function waitingAfter(changes: Partial<DeliveryJob>, pausedMs: number) {
    const driver = createDriver({ respond: () => response(503) });
    driver.configs.set("d1", destination({ pausedMs }));
    driver.clock.nowMs += HOUR_MS;
    await driver.step(job({ ...failedAt, ...changes }));
    return driver.pending[0];
  }

  test("a job that says nothing of its destination's pauses has those that it met", async () => {
    const met = { pausedSinceMs: START_MS + HOUR_MS - 5_000 };
    expect(await waitingAfter({}, HOUR_MS)).toMatchObject({ pausedMs: 60_000 });
    expect(await waitingAfter(met, HOUR_MS)).toMatchObject({ pausedMs: 65_000, pausedSinceMs: null });
  });

  test("a pause whose length control has not written counts as the job met it", async () => {
    const met = { pausedSinceMs: START_MS + HOUR_MS - 5_000, destinationPausedMs: 7_000 };
    expect(await waitingAfter(met, 7_000)).toMatchObject({ pausedMs: 65_000 });
    expect(await waitingAfter(met, 0)).toMatchObject({ pausedMs: 65_000 });
  });
});

test("a destination that is switched off while it is paused gives its calls up", async () => {
  const driver = createDriver();
  driver.configs.set("d1", destination({ pausedAtMs: START_MS, enabled: false }));
  await driver.step(job());
  expect(driver.deadLetters).toMatchObject([{ reason: "destination_disabled" }]);
});
