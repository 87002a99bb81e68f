import { describe, expect, test } from "@jest/globals";
import { answering, createTraffic, type Fate, failing } from "../fixtures/traffic.ts";

const starts = (fates: readonly Fate[]) =>
  fates.flatMap(({ startedAtMs }) => (startedAtMs === undefined ? [] : [startedAtMs]));

const turnsOf = (fates: readonly Fate[]) =>
  fates.flatMap(({ diverted, notBeforeMs = 0 }) => (diverted === "rate_limited" ? [notBeforeMs] : []));

/** The most of these moments that lie within one second. */
function mostInASecond(moments: readonly number[]): number {
  const inSecondFrom = (fromMs: number) =>
    moments.filter((atMs) => atMs >= fromMs && atMs < fromMs + 1_000).length;
  return Math.max(0, ...moments.map(inSecondFrom));
}

describe("a destination's own rate (contract 4.4)", () => {
  test.each([
    [0.5, 1],
    [10, 11],
    [100, 102],
    [700, 708],
  ])(
    "of %d a second lets at most %d requests start in any second, and about as many as it may",
    (rate, most) => {
      const { fates, flow, quotas, run } = createTraffic();
      quotas.set("a", { maxRequestsPerSecond: rate, maxInFlight: null });
      flow("a", rate * 3, 10_000);
      run(10_000);
      expect(mostInASecond(starts(fates))).toBeLessThanOrEqual(most);
      expect(starts(fates).length).toBeGreaterThanOrEqual(Math.floor(rate * 10 * 0.97));
    },
  );

  test("makes calls wait two seconds at most; the others are told to come back one after the other", () => {
    const { fates, flow, now, quotas, run } = createTraffic();
    quotas.set("a", { maxRequestsPerSecond: 10, maxInFlight: null });
    flow("a", 1_000, 100);
    const sentAtMs = now();
    run(3_000);
    const waitsMs = starts(fates).map((atMs) => atMs - sentAtMs);
    expect(waitsMs.length).toBeGreaterThanOrEqual(19);
    expect(Math.max(...waitsMs)).toBeLessThanOrEqual(2_200);
    const turns = turnsOf(fates);
    expect(turns.length).toBe(fates.length - waitsMs.length);
    turns.sort((a, b) => a - b);
    const gapsMs = turns.slice(1).map((turnMs, index) => turnMs - (turns[index] ?? 0));
    expect(Math.min(...gapsMs)).toBeGreaterThanOrEqual(99);
    expect(Math.max(...gapsMs)).toBeLessThanOrEqual(101);
  });

  test("has the calls that it sent away brought before their time: the endpoint has room for them", () => {
    const { flow, quotas, run, told } = createTraffic();
    quotas.set("a", { maxRequestsPerSecond: 10, maxInFlight: null });
    flow("a", 1_000, 100);
    run(10_000);
    expect(told).toContain("a room");
  });

  test("that is raised is what calls are told from then on, however far ahead the turns of the old one are", () => {
    const { flow, now, quotas, run, send } = createTraffic();
    quotas.set("a", { maxRequestsPerSecond: 1, maxInFlight: null });
    flow("a", 1_000, 1_000);
    run(3_000);
    quotas.set("a", { maxRequestsPerSecond: 100, maxInFlight: null });
    const changedAtMs = now();
    const fates = Array.from({ length: 300 }, () => send("a"));
    run(100);
    expect(fates[0]).toMatchObject({ startedAtMs: changedAtMs });
    const turns = turnsOf(fates);
    expect(turns.length).toBeGreaterThan(50);
    expect(Math.max(...turns) - changedAtMs).toBeLessThanOrEqual(3_000);
  });

  test("lets waiting calls be taken ahead where nothing is known of it, and while its next place is near", () => {
    const { flow, limits, now, quotas, run } = createTraffic();
    const slow = { maxRequestsPerSecond: 1, maxInFlight: null };
    quotas.set("a", slow);
    expect(limits.hasTurn("a", slow, now())).toBe(true);
    flow("a", 1_000, 5);
    run(5);
    expect([limits.hasTurn("a", slow, now()), limits.hasTurn("b", slow, now())]).toEqual([false, true]);
  });

  test("lets them be taken as soon as it is raised or gone, whoever comes", () => {
    const { limits, now, quotas, run, send } = createTraffic();
    const slow = { maxRequestsPerSecond: 0.001, maxInFlight: null };
    quotas.set("a", slow);
    send("a");
    run(100);
    expect(limits.hasTurn("a", slow, now())).toBe(false);
    expect(limits.hasTurn("a", undefined, now())).toBe(true);
    expect(limits.hasTurn("a", { ...slow, maxRequestsPerSecond: 10 }, now())).toBe(true);
  });

  test("keeps the order of first attempts", () => {
    const { fates, flow, quotas, run } = createTraffic();
    quotas.set("a", { maxRequestsPerSecond: 50, maxInFlight: null });
    flow("a", 100, 1_000);
    run(5_000);
    expect(starts(fates)).toEqual(starts(fates).toSorted((a, b) => a - b));
  });

  test("is another matter than its endpoint being down: then its calls are diverted for that", () => {
    const { endpoints, fates, flow, quotas, run } = createTraffic();
    quotas.set("a", { maxRequestsPerSecond: 20, maxInFlight: null });
    endpoints.set("a", failing);
    flow("a", 20, 5_000);
    run(5_000);
    expect(fates.at(-1)?.diverted).toBe("breaker_open");
    expect(starts(fates).length).toBeLessThan(20);
  });

  test("and those of others leave three quarters of the process free, and each other room", () => {
    const { fates, limits, now, quotas, run, send } = createTraffic();
    const quota = { maxRequestsPerSecond: 240, maxInFlight: null };
    const names = Array.from({ length: 20 }, (_, index) => `limited${index}`);
    for (const name of names) quotas.set(name, quota);
    for (let step = 0; step < 1_000; step += 1) {
      for (const name of names) send(name);
      run(step < 990 ? 2 : 0);
    }
    const waiting = fates.filter(({ diverted, startedAtMs }) => (diverted ?? startedAtMs) === undefined);
    expect(waiting.length).toBeLessThanOrEqual(500);
    expect(limits.hasTurn("limited0", quota, now())).toBe(false);
    const counts = names.map((name) => waiting.filter(({ endpoint }) => endpoint === name).length);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(15);
  });

  test("does not concern others", () => {
    const { fates, limits, flow, quotas, run } = createTraffic();
    quotas.set("a", { maxRequestsPerSecond: 1, maxInFlight: null });
    flow("b", 500, 1_000);
    run(2_000);
    expect(fates.every(({ outcome }) => outcome?.kind === "success")).toBe(true);
    expect(limits.size).toBe(0);
  });
});

describe("a destination's own bound on requests under way (contract 4.4)", () => {
  test("is kept, and what waits goes as soon as there is room", () => {
    const { endpoints, fates, flow, queues, quotas, run } = createTraffic();
    endpoints.set("a", answering(100));
    quotas.set("a", { maxRequestsPerSecond: null, maxInFlight: 3 });
    flow("a", 25, 4_000);
    let most = 0;
    for (let step = 0; step < 500; step += 1) {
      run(10);
      most = Math.max(most, queues.inFlight);
    }
    expect(most).toBe(3);
    expect(fates.every(({ outcome }) => outcome?.kind === "success")).toBe(true);
  });
});

test("a limit is gone when nobody waits and its next turn has come", () => {
  const { limits, quotas, run, send } = createTraffic();
  quotas.set("a", { maxRequestsPerSecond: 0.5, maxInFlight: 1 });
  send("a");
  run(1_000);
  expect(limits.size).toBe(1);
  run(1_500);
  expect(limits.size).toBe(0);
});
