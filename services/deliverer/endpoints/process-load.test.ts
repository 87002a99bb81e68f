import { describe, expect, test } from "@jest/globals";
import { Pace } from "./process-load.ts";

describe("time as the process has lived it", () => {
  test("is what passes, up to 200 ms from one sweep to the next, and never goes back", () => {
    const pace = new Pace();
    expect([5_000, 5_199, 5_201, 9_000, 4_000].map((nowMs) => pace.livedMs(nowMs))).toEqual([
      0, 199, 200, 200, 0,
    ]);
    pace.sweep(5_100, false);
    expect([5_100, 5_150].map((nowMs) => pace.livedMs(nowMs))).toEqual([100, 150]);
    pace.sweep(65_100, false);
    expect([65_100, 65_101].map((nowMs) => pace.livedMs(nowMs))).toEqual([300, 301]);
  });
});

describe("as much as a process gets done soon", () => {
  test("is a matter of a busy one only", () => {
    const pace = new Pace();
    expect([pace.isBusy, pace.isEnough(1_000_000)]).toEqual([false, false]);
    pace.sweep(0, true);
    expect([pace.isBusy, pace.isEnough(255), pace.isEnough(256)]).toEqual([true, false, true]);
    pace.sweep(100, false);
    expect([pace.isBusy, pace.isEnough(1_000_000)]).toEqual([false, false]);
  });

  test("is what it ends in a second, by the last sweep and those before", () => {
    const pace = new Pace();
    const end = (count: number) => {
      for (let ended = 0; ended < count; ended += 1) pace.ended();
    };
    pace.sweep(0, true);
    end(1_000);
    // No time has passed: it counts at the next.
    pace.sweep(0, true);
    pace.sweep(100, true);
    expect([pace.isEnough(4_999), pace.isEnough(5_000)]).toEqual([false, true]);
    end(100);
    pace.sweep(200, true);
    expect([pace.isEnough(2_999), pace.isEnough(3_000)]).toEqual([false, true]);
  });
});
