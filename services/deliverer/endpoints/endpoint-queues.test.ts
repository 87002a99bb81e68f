import { describe, expect, test } from "@jest/globals";
import { answering, createTraffic, failing, hanging, PERIODS_MS } from "../fixtures/traffic.ts";

const reasons = (fates: readonly { diverted?: string }[]) =>
  new Set(fates.flatMap(({ diverted }) => (diverted === undefined ? [] : [diverted])));

describe("the queue of one endpoint", () => {
  test("starts requests in order, a bounded number at a time, and lets the others wait", () => {
    const { endpoints, fates, queues, run, send } = createTraffic();
    endpoints.set("a", answering(100));
    for (let count = 0; count < 40; count += 1) send("a");
    expect([queues.inFlight, queues.waiting]).toEqual([8, 32]);
    run(2_000);
    const starts = fates.map(({ startedAtMs = 0 }) => startedAtMs);
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect([queues.inFlight, queues.waiting]).toEqual([0, 0]);
    expect(reasons(fates).size).toBe(0);
  });

  test("diverts nothing of an endpoint that is slow and takes what it gets", () => {
    const { endpoints, fates, flow, run } = createTraffic();
    endpoints.set("a", answering(400));
    flow("a", 200, 20_000);
    run(30_000);
    expect(fates.filter(({ outcome }) => outcome?.kind === "success")).toHaveLength(4_000);
  });

  test("lets nobody wait longer than two seconds and a sweep", () => {
    const { endpoints, fates, flow, run } = createTraffic({ maxInFlight: 4 });
    endpoints.set("a", answering(800));
    flow("a", 50, 20_000);
    run(30_000);
    const waitsMs = fates.map((fate) => (fate.startedAtMs ?? fate.divertedAtMs ?? 0) - fate.enteredAtMs);
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(2_200);
    expect(reasons(fates)).toContain("queue_slow");
    // The endpoint gets what it is able to take: 4 places, 800 ms.
    expect(fates.filter(({ outcome }) => outcome !== undefined).length).toBeGreaterThan(90);
  });

  test("turns away at once when the endpoint has not answered anything for a second", () => {
    const { endpoints, run, send } = createTraffic();
    endpoints.set("a", hanging);
    for (let count = 0; count < 8; count += 1) send("a");
    run(999);
    expect(send("a").diverted).toBeUndefined();
    run(1);
    expect(send("a").diverted).toBe("stalled");
  });

  test("is gone when it has been idle for a minute", () => {
    const { queues, run, send } = createTraffic();
    for (let count = 0; count < 1_000; count += 1) send(`e${count}`);
    expect(queues.size).toBe(1_000);
    run(59_000);
    expect(queues.size).toBe(1_000);
    run(2_000);
    expect(queues.size).toBe(0);
  });

  test("starts and diverts nothing that is withdrawn; what is under way still ends", () => {
    const { endpoints, fates, queues, process, run, send } = createTraffic();
    endpoints.set("a", answering(100));
    for (let count = 0; count < 20; count += 1) send("a");
    process.isGone = true;
    send("b");
    run(5_000);
    expect(fates.filter(({ endedAtMs }) => endedAtMs !== undefined)).toHaveLength(8);
    expect(fates.filter(({ withdrawnAtMs }) => withdrawnAtMs !== undefined)).toHaveLength(13);
    expect(reasons(fates).size).toBe(0);
    expect([queues.inFlight, queues.waiting]).toEqual([0, 0]);
    process.isGone = false;
    expect(send("a").startedAtMs).toBeDefined();
  });

  test("lets those withdrawn at the next sweep that wait for an endpoint that hangs, or for their destination's own limit", () => {
    const { endpoints, fates, limits, process, quotas, run, send } = createTraffic();
    endpoints.set("a", hanging);
    quotas.set("b", { maxRequestsPerSecond: 1, maxInFlight: null });
    for (let count = 0; count < 10; count += 1) send("a");
    for (let count = 0; count < 3; count += 1) send("b");
    process.isGone = true;
    run(200);
    expect(fates.filter(({ withdrawnAtMs }) => withdrawnAtMs !== undefined)).toHaveLength(4);
    expect(reasons(fates).size).toBe(0);
    run(60_000);
    expect(limits.size).toBe(0);
  });
});

describe("retries", () => {
  test("wait behind first attempts, with a quarter of the turns", () => {
    const { endpoints, fates, flow, run } = createTraffic({ maxInFlight: 4 });
    endpoints.set("a", answering(40));
    flow("a", 200, 5_000);
    flow("a", 200, 5_000, true);
    run(5_000);
    const served = fates.filter(({ outcome }) => outcome !== undefined);
    const retries = served.filter(({ isRetry }) => isRetry).length;
    expect(served.length).toBeGreaterThan(450);
    expect(retries / served.length).toBeGreaterThan(0.15);
    expect(retries / served.length).toBeLessThan(0.3);
  });

  test("leave one place to first attempts", () => {
    const { endpoints, run, send } = createTraffic();
    endpoints.set("a", answering(1_000));
    for (let count = 0; count < 20; count += 1) send("a", { isRetry: true });
    run(1);
    expect(send("a").startedAtMs).toBeDefined();
  });

  test("use what first attempts leave them", () => {
    const { endpoints, fates, flow, run } = createTraffic();
    endpoints.set("a", answering(20));
    flow("a", 200, 5_000, true);
    run(6_000);
    expect(reasons(fates).size).toBe(0);
  });

  test("are held back when they hold a quarter of the process", () => {
    const { endpoints, queues, send } = createTraffic({ maxHeld: 100 });
    for (let count = 0; count < 24; count += 1) {
      endpoints.set(`e${count}`, hanging);
      send(`e${count}`, { isRetry: true });
    }
    expect([queues.isFullOfRetries, queues.room("f")]).toEqual([false, 1]);
    send("f", { isRetry: true });
    expect([queues.isFullOfRetries, queues.room("g")]).toEqual([true, 0]);
  });
});

describe("an endpoint that is down", () => {
  test("costs some requests, then one per period; everything else is diverted without a request", () => {
    const { endpoints, fates, flow, queues, run } = createTraffic();
    endpoints.set("a", failing);
    flow("a", 100, 100_000);
    run(100_000);
    const requests = fates.filter(({ startedAtMs }) => startedAtMs !== undefined);
    // 5 failures, a probe each second of the first ten, then one with each tenth more of the outage.
    expect(requests.length).toBeGreaterThan(5 + 20);
    expect(requests.length).toBeLessThan(5 + 40);
    expect(reasons(fates)).toEqual(new Set(["breaker_open"]));
    expect(queues.breakers()).toEqual({ closed: 0, open: 1, half_open: 0 });
    expect(queues.room("a")).toBeUndefined();
  });

  test("empties its queue when its breaker opens", () => {
    const { endpoints, fates, queues, run, send } = createTraffic();
    endpoints.set("a", answering(100, { kind: "retryable", reason: "connect" }));
    for (let count = 0; count < 30; count += 1) send("a");
    run(100);
    // Each of the four failures before the last one had made room for one more.
    expect([queues.inFlight, queues.waiting]).toEqual([4, 0]);
    expect(fates.filter(({ diverted }) => diverted === "breaker_open")).toHaveLength(30 - 8 - 4);
  });

  test("is met with one request, then two, four, ... when it is back, and that it is back is told", () => {
    const { endpoints, fates, queues, run, send, told } = createTraffic();
    endpoints.set("a", failing);
    for (let count = 0; count < 5; count += 1) send("a");
    run(PERIODS_MS[0] ?? 0);
    endpoints.set("a", answering(100));
    run(10);
    for (let count = 0; count < 20; count += 1) send("a");
    expect(fates.filter(({ diverted }) => diverted === "breaker_open")).toHaveLength(19);
    expect(queues.inFlight).toBe(1);
    run(100);
    expect(told).toEqual(["a recovered"]);
    const underWay: number[] = [];
    for (let count = 0; count < 40; count += 1) send("a");
    for (let round = 0; round < 4; round += 1) {
      underWay.push(queues.inFlight);
      run(100);
    }
    expect(underWay).toEqual([1, 2, 4, 8]);
  });

  test("4xx are answers", () => {
    const { endpoints, fates, flow, run } = createTraffic();
    endpoints.set("a", answering(5, { kind: "permanent", reason: "http_4xx", status: 404 }));
    flow("a", 100, 5_000);
    run(6_000);
    expect(reasons(fates).size).toBe(0);
  });
});

describe("Retry-After (contract 3.3)", () => {
  const busy = answering(5, { kind: "retryable", reason: "http_429", status: 429, retryAfterMs: 7_000 });

  test("of a 429 pauses the endpoint until then, without counting as a failure", () => {
    const { endpoints, now, run, send, told } = createTraffic();
    endpoints.set("a", busy);
    send("a");
    run(5);
    expect(send("a")).toMatchObject({ diverted: "paused", notBeforeMs: now() + 7_000 });
    run(7_000);
    endpoints.set("a", answering(5));
    expect(send("a").startedAtMs).toBeDefined();
    run(5);
    expect(told).toEqual(["a recovered"]);
  });

  test("of 429s is what it was asked for, however long it answers so: it is no outage whose probes come ever later", () => {
    const { endpoints, fates, run, send } = createTraffic();
    endpoints.set(
      "a",
      answering(5, { kind: "retryable", reason: "http_429", status: 429, retryAfterMs: 2_000 }),
    );
    for (let step = 0; step < 6_000; step += 1) {
      send("a");
      run(100);
    }
    const starts = fates.flatMap(({ startedAtMs }) => (startedAtMs === undefined ? [] : [startedAtMs]));
    // Ten minutes, and one request every two seconds.
    expect(starts.length).toBeGreaterThan(280);
  });

  test("of a 503 pauses the endpoint, for half an hour at most", () => {
    const { endpoints, run, send } = createTraffic();
    endpoints.set(
      "a",
      answering(5, { kind: "retryable", reason: "http_5xx", status: 503, retryAfterMs: 3_600_000 }),
    );
    send("a");
    run(5);
    expect(send("a").diverted).toBe("paused");
    run(30 * 60_000 - 1);
    expect(send("a").diverted).toBe("paused");
    run(1);
    expect(send("a").startedAtMs).toBeDefined();
  });
});

describe("a queue that turned requests away", () => {
  test("tells when it has room again, every few seconds at most", () => {
    const { endpoints, flow, run, told } = createTraffic({ maxInFlight: 4 });
    endpoints.set("a", answering(800));
    flow("a", 50, 5_000);
    run(5_000);
    expect(told).toEqual([]);
    run(5_000);
    expect(told).toEqual(["a room"]);
    run(60_000);
    expect(told).toEqual(["a room"]);
  });
});
