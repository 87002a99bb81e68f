import { describe, expect, test } from "@jest/globals";
import type { DivertReason, RequestResult } from "#contract";
import { createDriver } from "../fixtures/driver.ts";
import { destination, job, response, START_MS } from "../fixtures/jobs.ts";

const A = "https://a.test/hook";
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A destination that lets one request at a time through, and requests that the test answers. */
function createNarrow(divert: (url: string) => DivertReason | undefined = () => undefined) {
  const answers: ((result: RequestResult) => void)[] = [];
  const respond = () => new Promise<RequestResult>((resolve) => void answers.push(resolve));
  const driver = createDriver({ divert, respond });
  driver.configs.set("d1", { ...destination({ urls: [A] }), maxInFlight: 1 });
  return { answers, driver };
}

describe("a destination that lets one request at a time through (contract 4.4)", () => {
  test("gets the next one when the one under way has ended", async () => {
    const { answers, driver } = createNarrow();
    for (const jobId of ["j0", "j1", "j2"]) void driver.step(job({ jobId }));
    await turn();
    for (let count = 1; count <= 3; count += 1) {
      expect(driver.sent).toHaveLength(count);
      answers.shift()?.(response(200));
      await turn();
      driver.limits.tick(driver.clock.nowMs);
      await turn();
    }
    expect(driver.verdicts).toHaveLength(3);
  });

  test.each([
    { what: "its queue has put the one before off", isFull: true, isOurs: true },
    { what: "the one before was withdrawn on its way", isFull: false, isOurs: false },
  ])("gets the next one when $what", async (before) => {
    const first = { ...before };
    const { driver } = createNarrow(() => (first.isFull ? "stalled" : undefined));
    driver.hold.isOurs = first.isOurs;
    await driver.step(job({ jobId: "j0" }));
    first.isFull = false;
    driver.hold.isOurs = true;
    void driver.step(job({ jobId: "j1" }));
    driver.limits.tick(driver.clock.nowMs);
    await turn();
    expect(driver.sent).toHaveLength(1);
  });

  test("gets the next one when the one before was withdrawn while it waited in its queue", async () => {
    const { answers, driver } = createNarrow();
    driver.configs.set("wide", destination({ id: "wide", urls: [A] }));
    for (let index = 0; index < 8; index += 1)
      void driver.step(job({ jobId: `w${index}`, destinationId: "wide" }));
    const waiting = driver.step(job({ jobId: "j0" }));
    await turn();
    driver.hold.isOurs = false;
    answers.shift()?.(response(200));
    await waiting;
    expect(driver.hold.givenBack).toEqual(["j0"]);
    driver.hold.isOurs = true;
    void driver.step(job({ jobId: "j1" }));
    driver.limits.tick(driver.clock.nowMs);
    await turn();
    expect(driver.sent).toHaveLength(9);
  });
});

test("a job that waits too long for its queue is not put off when its partition has gone: its owner would not know of it", async () => {
  const { driver } = createNarrow();
  driver.configs.set("d1", destination({ urls: [A] }));
  const steps = Array.from({ length: 9 }, (_, index) => driver.step(job({ jobId: `j${index}` })));
  await turn();
  driver.hold.isOurs = false;
  for (let sweep = 0; sweep < 30; sweep += 1) {
    driver.clock.nowMs += 100;
    driver.queues.sweep(driver.clock.nowMs, false);
  }
  await steps[8];
  expect(driver.hold.givenBack).toEqual(["j8"]);
  expect([driver.written, driver.verdicts]).toEqual([[], []]);
});

describe("a clock that somebody sets forward and back", () => {
  const DAY_MS = 86_400_000;

  test("keeps no endpoint closed for longer than its pause, and no job longer than that", async () => {
    let status = 503;
    const driver = createDriver({ respond: () => response(status) });
    driver.clock.setByMs = DAY_MS;
    for (let index = 0; index < 5; index += 1) await driver.step(job({ jobId: `j${index}` }));
    driver.clock.setByMs = 0;
    status = 200;
    driver.clock.nowMs += 1_000;
    await driver.step(job({ jobId: "probe" }));
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });

  test("asks no endpoint that is down before its pause is over", async () => {
    const driver = createDriver({ respond: () => response(503) });
    for (let index = 0; index < 5; index += 1) await driver.step(job({ jobId: `j${index}` }));
    driver.clock.setByMs = DAY_MS;
    await driver.step(job({ jobId: "early" }));
    expect(driver.sent).toHaveLength(5);
  });

  test("tells a job that its endpoint wants a pause when that ends by the clock of now", async () => {
    const driver = createDriver({ respond: () => response(429, "120") });
    await driver.step(job({ jobId: "first" }));
    driver.clock.setByMs = DAY_MS;
    driver.clock.nowMs += 20_000;
    // Times are reported in whole milliseconds, as records hold them, and not too early.
    driver.clock.fractionMs = 0.7;
    await driver.step(job({ jobId: "second" }));
    const second = driver.pending.find(({ jobId }) => jobId === "second");
    expect(second?.dueAtMs).toBe(START_MS + DAY_MS + 120_000);
  });
});
