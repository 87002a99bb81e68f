import { describe, expect, test } from "@jest/globals";
import type { DivertReason } from "#contract";
import { WINDOW_MS } from "#contract";
import { createDriver } from "../fixtures/driver.ts";
import { destination, job, response, START_MS } from "../fixtures/jobs.ts";

const A = "https://a.test/hook";
const B = "https://b.test/hook";
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a job whose endpoint takes nothing right now", () => {
  test("waits in a retry topic without that a request was made; that is no attempt", async () => {
    const driver = createDriver({ divert: () => "breaker_open" });
    await driver.step(job());
    expect(driver.sent).toEqual([]);
    expect(driver.results).toEqual([]);
    expect(driver.verdicts).toMatchObject([{ kind: "divert", reason: "breaker_open", tier: 0 }]);
    expect(driver.pending).toMatchObject([{ attempts: 0, diverts: 1, firstAttemptAtMs: START_MS }]);
  });

  test("backs off as if it had been attempted, and is a dead letter that says so when its window is over", async () => {
    const driver = createDriver({ divert: () => "stalled" });
    await driver.step(job());
    await driver.run();
    // The job has as many turns as one that is attempted, except for the spread of its delays.
    expect(driver.verdicts.length).toBeGreaterThanOrEqual(11);
    expect(driver.verdicts.length).toBeLessThanOrEqual(13);
    const firstTopicOfEachTurn = driver.verdicts
      .slice(0, 5)
      .map((verdict) => "tier" in verdict && verdict.tier);
    expect(firstTopicOfEachTurn).toEqual([0, 1, 2, 3, 4]);
    expect(driver.deadLetters).toMatchObject([
      {
        reason: "not_asked",
        message: "the window for retries is over, and no webhook could be asked: stalled",
        attempts: 0,
        outcomes: [{ url: A, kind: "retryable", reason: "diverted", message: "not asked: stalled" }],
      },
    ]);
    const [letter] = driver.deadLetters;
    expect(letter?.deadAtMs).toBeGreaterThan(START_MS + WINDOW_MS - 40 * 60_000);
  });

  test("is delivered when its endpoint takes it again", async () => {
    let isDown = true;
    const driver = createDriver({ divert: () => (isDown ? "breaker_open" : undefined) });
    await driver.step(job());
    isDown = false;
    await driver.run();
    expect(driver.sent).toHaveLength(1);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });

  test("keeps what its webhook came to when it was asked", async () => {
    let isDown = false;
    const driver = createDriver({
      divert: () => (isDown ? "breaker_open" : undefined),
      respond: () => response(503),
    });
    await driver.step(job());
    isDown = true;
    await driver.run(START_MS + 20_000);
    expect(driver.pending).toMatchObject([
      { attempts: 1, diverts: 1, outcomes: [{ url: A, reason: "http_5xx" }] },
    ]);
  });
});

describe("a job that was due while this service was away, and whose window ended meanwhile", () => {
  const LATE_MS = WINDOW_MS + 3_600_000;

  /** It has failed once, and comes an hour after its window's end. */
  async function comeBackLate(divert: () => DivertReason | undefined, status: number) {
    const answers = [503];
    const driver = createDriver({
      divert: () => (driver.sent.length === 0 ? undefined : divert()),
      respond: () => response(answers.shift() ?? status),
    });
    await driver.step(job());
    driver.clock.nowMs = START_MS + LATE_MS;
    return driver;
  }

  test("is put off when its endpoint takes nothing, and asked when it does", async () => {
    let isFull = true;
    const driver = await comeBackLate(() => (isFull ? "crowded" : undefined), 200);
    await driver.run(START_MS + LATE_MS);
    expect(driver.deadLetters).toEqual([]);
    isFull = false;
    await driver.run();
    expect(driver.sent).toHaveLength(2);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });

  test("is a dead letter when it is asked at last, and fails", async () => {
    let diverts = 0;
    const driver = await comeBackLate(() => (++diverts > 3 ? undefined : "crowded"), 503);
    await driver.run();
    expect(driver.deadLetters).toMatchObject([{ reason: "window_over", attempts: 2 }]);
  });

  test("has as long as a window to be asked; then it is a dead letter that says that it was not", async () => {
    const driver = await comeBackLate(() => "crowded", 200);
    await driver.run();
    expect(driver.deadLetters).toMatchObject([
      { reason: "not_asked", message: expect.stringContaining("crowded"), attempts: 1 },
    ]);
    const [letter] = driver.deadLetters;
    const lastedMs = (letter?.deadAtMs ?? 0) - START_MS - LATE_MS;
    expect(lastedMs).toBeGreaterThan(WINDOW_MS - 60_000);
    expect(lastedMs).toBeLessThanOrEqual(WINDOW_MS);
  });
});

test("a job that was asked, and finds its endpoint down at the window's end, ends by the window", async () => {
  const driver = createDriver({
    divert: () => (driver.sent.length === 0 ? undefined : "breaker_open"),
    respond: () => response(503),
  });
  await driver.step(job());
  await driver.run();
  expect(driver.deadLetters).toMatchObject([{ reason: "window_over", attempts: 1 }]);
  expect(driver.clock.nowMs).toBeLessThanOrEqual(START_MS + WINDOW_MS);
});

describe("of several webhooks", () => {
  test("one that takes nothing right now is tried again with the others' next attempt", async () => {
    let isFull = true;
    const driver = createDriver({
      divert: (url) => (url === A && isFull ? "stalled" : undefined),
      respond: ({ url }) => response(url === A ? 200 : 410),
    });
    driver.configs.set("d1", destination({ urls: [A, B] }));
    await driver.step(job());
    expect(driver.pending).toMatchObject([
      {
        attempts: 1,
        diverts: 0,
        outcomes: [
          { url: A, kind: "retryable", reason: "diverted" },
          { url: B, kind: "permanent" },
        ],
      },
    ]);
    isFull = false;
    await driver.run();
    expect(driver.sent.map(({ url }) => url)).toEqual([B, A]);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });
});

describe("after a crash", () => {
  test("the copy that was diverted and the one that was attempted are one job", async () => {
    let isDown = true;
    const answers: number[] = [];
    const driver = createDriver({
      divert: () => (isDown ? "breaker_open" : undefined),
      respond: () => response(answers.shift() ?? 200),
    });
    await driver.step(job());
    const [diverted] = driver.pending.splice(0);
    isDown = false;
    answers.push(503);
    // Another process, which knows nothing of the first run.
    const other = createDriver({ respond: () => response(503) });
    await other.step(job());
    const [attempted] = other.pending;
    if (diverted === undefined || attempted === undefined) throw new Error("both copies wait");
    driver.pending.push(diverted, attempted);
    answers.length = 0;
    await driver.run();
    await turn();
    expect(driver.sent).toHaveLength(1);
  });
});

test("a full queue's requests are diverted one by one, and what fits is delivered", async () => {
  const driver = createDriver({ respond: () => response(503) });
  for (let count = 0; count < 5; count += 1) await driver.step(job({ jobId: `j${count}` }));
  await driver.step(job({ jobId: "j5" }));
  expect(driver.sent).toHaveLength(5);
  expect(driver.verdicts.at(-1)).toMatchObject({ kind: "divert", reason: "breaker_open" });
});
