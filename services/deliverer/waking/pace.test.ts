import { describe, expect, test } from "@jest/globals";
import { createWakePace } from "./pace.ts";

/** The cost of one call to the event loop; about that of a deliverer on a busy machine. */
const COST_MS = 0.1;
const STEP_MS = 5;

/** A process with a clock of its own: new calls come evenly, and waiting ones are woken whenever they may. */
function simulate({
  newPerSecond,
  waiting,
  forMs,
}: {
  newPerSecond: number;
  waiting: number;
  forMs: number;
}) {
  const clock = { nowMs: 0, busyMs: 0 };
  const pace = createWakePace({ elapsed: () => clock.nowMs, busyMs: () => clock.busyMs });
  let woken = 0;
  let drainedAtMs = Number.POSITIVE_INFINITY;
  let mostAtOnce = 0;
  /** The share of the time that was work, by tenth of a second. */
  const shares: number[] = [];
  let before = 0;
  while (clock.nowMs < forMs) {
    clock.nowMs += STEP_MS;
    clock.busyMs += (newPerSecond / 1_000) * STEP_MS * COST_MS;
    let atOnce = 0;
    while (woken < waiting && pace.take()) {
      woken += 1;
      atOnce += 1;
      clock.busyMs += COST_MS;
    }
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    if (woken === waiting) drainedAtMs = Math.min(drainedAtMs, clock.nowMs);
    if (clock.nowMs % 100 === 0) {
      shares.push((clock.busyMs - before) / 100);
      before = clock.busyMs;
    }
  }
  return { woken, drainedAtMs, mostAtOnce, shares: shares.toSorted((a, b) => a - b) };
}

describe("how fast waiting calls are woken", () => {
  test("what waited through an outage of a minute at half load is through in 12 s, and leaves a quarter of the process free", () => {
    const { drainedAtMs, shares, mostAtOnce } = simulate({
      newPerSecond: 3_875,
      waiting: 23_250,
      forMs: 15_000,
    });
    expect(drainedAtMs).toBeLessThanOrEqual(12_000);
    expect(shares[Math.floor(shares.length * 0.9)]).toBeLessThan(0.75);
    expect(shares.at(-1)).toBeLessThan(0.85);
    // 20 ms' worth, at what a tenth of a second showed to be too much.
    expect(mostAtOnce * COST_MS).toBeLessThan(20);
  });

  test("a process that is busy anyway wakes as many as it gives to calls that fall due, and no more", () => {
    const { woken } = simulate({ newPerSecond: 9_000, waiting: 1_000_000, forMs: 20_000 });
    expect(woken / 20).toBeGreaterThan(300);
    expect(woken / 20).toBeLessThan(340);
  });

  test("one who wanted more once does not make it faster for ever", () => {
    const clock = { nowMs: 0 };
    const pace = createWakePace({ elapsed: () => clock.nowMs, busyMs: () => 0 });
    clock.nowMs += 20;
    while (pace.take());
    for (let taken = 0; taken < 50; taken += 1) {
      clock.nowMs += 100;
      expect(pace.take()).toBe(true);
    }
    clock.nowMs += 100;
    let atOnce = 0;
    while (pace.take()) atOnce += 1;
    // 20 ms at 575 a second, which the first who wanted more made of 500.
    expect(atOnce).toBe(11);
  });

  test("after a pause it begins with little again, and with nothing saved up", () => {
    const clock = { nowMs: 0 };
    const pace = createWakePace({ elapsed: () => clock.nowMs, busyMs: () => 0 });
    for (; clock.nowMs < 5_000; clock.nowMs += 1) while (pace.take());
    clock.nowMs += 60_000;
    let atOnce = 0;
    while (pace.take()) atOnce += 1;
    expect(atOnce).toBeLessThanOrEqual(10);
  });
});
