import { expect, test } from "@jest/globals";
import { type Begun, remainingSeconds } from "./remaining.ts";

const begun = (more: Partial<Begun> = {}): Begun => ({
  partitions: 4,
  partitionsBegun: 4,
  profilesDone: 0,
  profilesTotal: 0,
  eventsDone: 0,
  eventsTotal: 0,
  ...more,
});
const at = (elapsedMs: number) => ({ elapsedMs, eventsPerSecond: 20_000 });

test("while no partition has begun nobody can tell", () => {
  expect(remainingSeconds(begun({ partitionsBegun: 0 }), at(0))).toBeNull();
});

test("at first it is what one process takes at its pace: 90 days of 345 calls/s take 37 hours", () => {
  const events = 345 * 90 * 86_400;
  expect(remainingSeconds(begun({ eventsTotal: events }), at(0))).toBe(134_136);
  expect(134_136 / 3_600).toBeCloseTo(37.3, 1);
});

test("partitions that have not begun have as much to do as those that have", () => {
  expect(remainingSeconds(begun({ eventsTotal: 200_000, partitionsBegun: 1 }), at(0))).toBe(40);
});

test("after a while the pace that is seen counts, at most that of one process for each partition", () => {
  const some = begun({ eventsTotal: 300_000, eventsDone: 100_000 });
  expect(remainingSeconds(some, at(9_999))).toBe(10);
  expect(remainingSeconds(some, at(20_000))).toBe(40);
  expect(remainingSeconds(begun({ eventsTotal: 1_800_000, eventsDone: 1_000_000 }), at(10_000))).toBe(10);
});

test("profiles are evaluated afterwards", () => {
  expect(remainingSeconds(begun({ profilesTotal: 1_000_000, profilesDone: 900_000 }), at(0))).toBe(5);
  expect(remainingSeconds(begun({ eventsTotal: 5, eventsDone: 5 }), at(60_000))).toBe(0);
});
