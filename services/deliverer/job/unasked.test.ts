// A call is sent to all webhooks (contract 3.2): one that wanted room when another took the call is asked later (decision 71).
import { describe, expect, test } from "@jest/globals";
import { type DivertReason, type RequestResult, WINDOW_MS } from "#contract";
import { createDriver } from "../fixtures/driver.ts";
import { destination, failure, job, response } from "../fixtures/jobs.ts";

const A = "https://a.test/hook";
const B = "https://b.test/hook";
const C = "https://c.test/hook";

type Respond = (url: string) => RequestResult | Promise<RequestResult>;

/** Webhooks A and B, or those given. Requests to what is in `full` are diverted for the reason that stands there. */
function bench(respond: Respond = () => response(200), urls: readonly string[] = [A, B]) {
  const full = new Map<string, DivertReason>();
  const driver = createDriver({ respond: ({ url }) => respond(url), divert: (url) => full.get(url) });
  driver.configs.set("d1", destination({ urls }));
  const sentTo = () => driver.sent.map(({ url }) => url);
  return { driver, full, sentTo };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a webhook that wanted room when another took the call", () => {
  test.each(["queue_slow", "crowded", "stalled", "retry_share", "rate_limited"] as const)(
    "is asked later, it alone (%s)",
    async (reason) => {
      const { driver, full, sentTo } = bench();
      full.set(B, reason);
      await driver.step(job());
      expect(sentTo()).toEqual([A]);
      expect(driver.verdicts).toMatchObject([
        { kind: "divert", reason, job: { unaskedUrls: [B], failedAtMs: null } },
      ]);
      full.clear();
      await driver.run();
      expect(sentTo()).toEqual([A, B]);
      expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
      expect([driver.pending, driver.deadLetters]).toEqual([[], []]);
    },
  );

  test.each(["breaker_open", "paused"] as const)(
    "is not asked again where its endpoint is ill, as if a request had failed (%s)",
    async (reason) => {
      const { driver, full, sentTo } = bench();
      full.set(B, reason);
      await driver.step(job());
      expect(driver.verdicts).toEqual([{ kind: "delivered" }]);
      expect([sentTo(), driver.pending]).toEqual([[A], []]);
    },
  );

  test("is asked once: a failure does not bring the call back, and is no dead letter", async () => {
    const { driver, full, sentTo } = bench((url) => (url === A ? response(200) : failure("timeout")));
    full.set(B, "queue_slow");
    await driver.step(job());
    full.clear();
    await driver.run();
    expect(sentTo()).toEqual([A, B]);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
    expect([driver.pending, driver.deadLetters]).toEqual([[], []]);
  });

  // The window of a call that was sent has begun, whatever keeps the other webhook from being asked (contract 4.4).
  test.each(["queue_slow", "rate_limited"] as const)(
    "waits as long as it wants room, and no longer than the window; the call is no dead letter then (%s)",
    async (reason) => {
      const { driver, full, sentTo } = bench();
      full.set(B, reason);
      await driver.step(job());
      const beganAtMs = driver.clock.nowMs;
      await driver.run(beganAtMs + 2 * WINDOW_MS);
      expect(driver.clock.nowMs - beganAtMs).toBeGreaterThan(WINDOW_MS * 0.9);
      expect(driver.clock.nowMs - beganAtMs).toBeLessThanOrEqual(WINDOW_MS);
      expect(driver.verdicts.length).toBeGreaterThan(10);
      expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
      expect([sentTo(), driver.deadLetters]).toEqual([[A], []]);
    },
  );

  test("is waited for before the call is settled, until it is asked", async () => {
    const answers = new Map<string, (result: RequestResult) => void>();
    const respond = (url: string) => new Promise<RequestResult>((resolve) => void answers.set(url, resolve));
    const { driver, sentTo } = bench(respond, [B]);
    const filling = Array.from({ length: 8 }, (_, index) => driver.step(job({ jobId: `full${index}` })));
    driver.configs.set("d1", destination({ urls: [A, B], version: 2 }));
    const settled = driver.step(job({ jobId: "both" }));
    await turn();
    answers.get(A)?.(response(200));
    await turn();
    expect([sentTo().at(-1), driver.verdicts]).toEqual([A, []]);
    // One of those before it ends, so its request to B begins; nobody waits for that to end.
    answers.get(B)?.(response(200));
    await settled;
    expect(sentTo().at(-1)).toBe(B);
    expect(driver.verdicts).toHaveLength(2);
    expect(filling).toHaveLength(8);
  });

  test("is forgotten when the configuration drops it, and with the destination", async () => {
    for (const change of [
      destination({ urls: [A], version: 2 }),
      destination({ enabled: false, version: 2 }),
    ]) {
      const { driver, full, sentTo } = bench();
      full.set(B, "crowded");
      await driver.step(job());
      driver.configs.set("d1", change);
      full.clear();
      await driver.run();
      expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
      expect([sentTo(), driver.deadLetters]).toEqual([[A], []]);
    }
  });

  test("is asked after a retry too, when it had room at no attempt before", async () => {
    const statuses = [503, 200];
    const { driver, full, sentTo } = bench(
      (url) => response(url === A ? (statuses.shift() ?? 599) : 200),
      [A, B, C],
    );
    full.set(B, "queue_slow").set(C, "breaker_open");
    await driver.step(job());
    expect(driver.verdicts).toMatchObject([{ kind: "wait", job: { unaskedUrls: [] } }]);
    await driver.run(driver.clock.nowMs + 12_000);
    full.clear();
    await driver.run();
    expect(sentTo()).toEqual([A, A, B]);
    expect(driver.verdicts.at(-1)).toEqual({ kind: "delivered" });
  });
});
