import { describe, expect, test } from "@jest/globals";
import { laneRequest } from "../fixtures/request.ts";
import { Lane } from "./endpoint-queue.ts";
import { Pressure } from "./fair-share.ts";

const MAX_HELD = 100;

/** A lane with so many under way since time 0, whose requests take `averageMs`. */
function laneWith(inFlight: number, averageMs = 0): Lane {
  const lane = new Lane({ endpoint: "a", maxInFlight: 256, retryDelaysMs: [1_000], nowMs: 0 });
  for (let count = 0; count < inFlight; count += 1) lane.started(laneRequest(), 0);
  if (averageMs > 0) lane.limiter.ended(false, averageMs, 0);
  return lane;
}

/** A process that holds so many, of so many lanes. */
function pressed(held: number, lanes = 1): Pressure {
  const pressure = new Pressure(MAX_HELD);
  for (let count = 0; count < held; count += 1) pressure.enter(count < lanes);
  return pressure;
}

/** From how long a silence on a lane with 60 under way is crowding; a process that holds so many. */
function silenceAllowedMs(held: number): number | undefined {
  const lane = laneWith(60);
  const pressure = pressed(held);
  for (let silentMs = 0; silentMs <= 2_000; silentMs += 1)
    if (pressure.isCrowding(lane, silentMs, false)) return silentMs - 1;
  return undefined;
}

describe("what the lanes of a process hold together", () => {
  test("is counted", () => {
    const pressure = pressed(3);
    pressure.leave(false);
    expect(pressure.held).toBe(2);
  });

  test("is no matter below half of what it can hold", () => {
    expect(pressed(49).isCrowding(laneWith(60), 3_600_000, false)).toBe(false);
    expect(pressed(50).isCrowding(laneWith(60), 3_600_000, false)).toBe(true);
  });

  test("allows a silence of a second from half on, and of half a second when it is nearly full", () => {
    expect([50, 59, 95, 100].map(silenceAllowedMs)).toEqual([1_000, 900, 500, 500]);
  });

  test("is shared by those that hold anything: who holds less than that is never in the way", () => {
    expect(pressed(60, 1).isCrowding(laneWith(49), 5_000, false)).toBe(false);
    expect(pressed(60, 1).isCrowding(laneWith(50), 5_000, false)).toBe(true);
    expect(pressed(60, 2).isCrowding(laneWith(24), 5_000, false)).toBe(false);
    const oneHasGone = pressed(61, 3);
    oneHasGone.leave(true);
    expect(oneHasGone.isCrowding(laneWith(24), 5_000, false)).toBe(false);
    expect(oneHasGone.isCrowding(laneWith(25), 5_000, false)).toBe(true);
  });

  test("is shared by as many when one of them holds less than before", () => {
    const pressure = pressed(61, 3);
    pressure.leave(false);
    expect(pressure.isCrowding(laneWith(16), 5_000, false)).toBe(false);
    expect(pressure.isCrowding(laneWith(17), 5_000, false)).toBe(true);
  });

  test("is not for who holds each request for long; twice as long while the process itself is slow", () => {
    const isCrowding = (averageMs: number, isBusy: boolean) =>
      pressed(50).isCrowding(laneWith(60, averageMs), 0, isBusy);
    expect([isCrowding(1_000, false), isCrowding(1_001, false)]).toEqual([false, true]);
    expect([isCrowding(2_000, true), isCrowding(2_001, true)]).toEqual([false, true]);
  });
});
