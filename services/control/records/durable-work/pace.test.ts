import { expect, test } from "@jest/globals";
import { Pace } from "./pace.ts";

function bench(callsPerSecond: number) {
  const delays: number[] = [];
  const clock = { nowMs: 1_000 };
  const pace = new Pace(callsPerSecond, {
    elapsed: () => clock.nowMs,
    async delay(ms, signal) {
      signal?.throwIfAborted();
      delays.push(ms);
    },
  });
  return { clock, delays, pace, signal: new AbortController().signal };
}

test("the regulations of a process share its pace, in the order in which they ask", async () => {
  const { clock, delays, pace, signal } = bench(100);
  await pace.turn(25, signal);
  await Promise.all([pace.turn(25, signal), pace.turn(25, signal)]);
  expect(delays).toEqual([250, 500]);
  clock.nowMs += 750;
  await pace.turn(25, signal);
  expect(delays).toHaveLength(2);
  await pace.turn(1, signal);
  expect(delays.at(-1)).toBe(250);
});

test("time that nobody used is not made up for", async () => {
  const { clock, delays, pace, signal } = bench(10);
  await pace.turn(1, signal);
  clock.nowMs += 60_000;
  await pace.turn(1, signal);
  await pace.turn(1, signal);
  expect(delays).toEqual([100]);
});

test("who waits ends with the signal", async () => {
  const { pace, signal } = bench(1);
  await pace.turn(1, signal);
  await expect(pace.turn(1, AbortSignal.abort())).rejects.toThrow();
});

test.each([
  [1, 1],
  [200, 10],
  [100_000, 500],
])("a step of %i calls a second has %i calls", (callsPerSecond, calls) => {
  expect(bench(callsPerSecond).pace.stepCalls).toBe(calls);
});
