import { describe, expect, test } from "@jest/globals";
import { WINDOW_MS } from "#contract";
import { createDriver } from "./fixtures/driver.ts";
import { destination, failure, job, response, START_MS } from "./fixtures/jobs.ts";

const S = 1_000;
const MIN = 60 * S;
/** Seconds of jitter in this job's waits, in steps of the smallest delay. */
const JITTER = [0, 10, 10, 50, 30, 20, 40, 20, 50, 40, 20];

describe("the whole window under a moved clock (contract 3.5)", () => {
  test("attempts at once, after 10 s, 1 min, 5 min, 15 min, then every 30 min, the last as late as still fits", async () => {
    const driver = createDriver({ respond: () => response(503) });
    await driver.step(job());
    await driver.run();
    const times = driver.sent.map(({ atMs }) => (atMs - START_MS) / S);
    const longerBy = [10, 60, 300, 900, ...Array.from({ length: 7 }, () => 1800)].map(
      (delay, index) => (times[index + 1] ?? 0) - (times[index] ?? 0) - delay,
    );
    expect(longerBy).toEqual(JITTER);
    expect(times.at(-1)).toBe(14_390);
    expect(times).toHaveLength(13);
  });

  test("ends as a dead letter with the reason of every webhook", async () => {
    const urls = ["https://a.test/hook", "https://b.test/hook"];
    const driver = createDriver({
      respond: ({ url }) => (url === urls[0] ? response(503) : failure("timeout")),
    });
    driver.configs.set("d1", destination({ urls }));
    await driver.step(job());
    await driver.run();
    expect(driver.sent).toHaveLength(26);
    expect(driver.pending).toEqual([]);
    expect(driver.deadLetters).toMatchObject([
      {
        id: "job-1",
        reason: "window_over",
        destinationId: "d1",
        messageId: "m1",
        attempts: 13,
        firstAttemptAtMs: START_MS,
        deadAtMs: START_MS + 14_390 * S,
        outcomes: [
          { url: urls[0], kind: "retryable", reason: "http_5xx", status: 503 },
          { url: urls[1], kind: "retryable", reason: "timeout", status: null },
        ],
        body: Buffer.from('{"type":"track"}'),
      },
    ]);
  });

  test("keeps the last attempt in the window though every hop comes out a little late", async () => {
    const driver = createDriver({ respond: () => response(503), latenessMs: 250 });
    await driver.step(job());
    await driver.run();
    const last = driver.sent.at(-1)?.atMs ?? 0;
    expect(driver.sent).toHaveLength(13);
    expect(last).toBeGreaterThan(START_MS + WINDOW_MS - MIN);
    expect(last).toBeLessThanOrEqual(START_MS + WINDOW_MS);
  });

  test("hops through shorter tiers, without an attempt, when no tier is exactly as long", async () => {
    const driver = createDriver({ respond: () => response(503) });
    await driver.step(job());
    await driver.run();
    const byTopic = Map.groupBy(driver.written, ({ topic }) => topic);
    const counts = Object.fromEntries([...byTopic].map(([topic, records]) => [topic, records.length]));
    expect(counts).toEqual({
      "delivery-retry-10s": 1 + JITTER.reduce((sum, seconds) => sum + seconds / 10, 0) + 5,
      "delivery-retry-1m": 1 + 3,
      "delivery-retry-5m": 1,
      "delivery-retry-15m": 1,
      "delivery-retry-30m": 7,
      "dead-letters": 1,
    });
  });

  test("waits out a Retry-After that lies between two tiers", async () => {
    const answers = [response(429, "200"), response(200)];
    const driver = createDriver({ respond: () => answers.shift() ?? response(200) });
    await driver.step(job());
    await driver.run();
    expect(driver.sent.map(({ atMs }) => (atMs - START_MS) / S)).toEqual([0, 200]);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });

  test("makes an attempt that fell due while nobody was there, however late", async () => {
    const answers = [response(503), response(200)];
    const driver = createDriver({ respond: () => answers.shift() ?? response(200) });
    await driver.step(job());
    driver.clock.nowMs = START_MS + WINDOW_MS + MIN;
    await driver.run();
    expect(driver.sent).toHaveLength(2);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });
});
