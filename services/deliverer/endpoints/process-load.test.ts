import { describe, expect, test } from "@jest/globals";
import { ProcessLoad } from "./process-load.ts";

describe("time as the process has lived it", () => {
  test("is what passes, up to 200 ms from one sweep to the next, and never goes back", () => {
    const load = new ProcessLoad();
    expect([5_000, 5_199, 5_201, 9_000, 4_000].map((nowMs) => load.livedMs(nowMs))).toEqual([
      0, 199, 200, 200, 0,
    ]);
    load.sweep(5_100, false);
    expect([5_100, 5_150].map((nowMs) => load.livedMs(nowMs))).toEqual([100, 150]);
    load.sweep(65_100, false);
    expect([65_100, 65_101].map((nowMs) => load.livedMs(nowMs))).toEqual([300, 301]);
  });
});

describe("as much as a process gets done soon", () => {
  test("is a matter of a busy one only", () => {
    const load = new ProcessLoad();
    expect([load.isBusy, load.isEnough(1_000_000)]).toEqual([false, false]);
    load.sweep(0, true);
    expect([load.isBusy, load.isEnough(255), load.isEnough(256)]).toEqual([true, false, true]);
    load.sweep(100, false);
    expect([load.isBusy, load.isEnough(1_000_000)]).toEqual([false, false]);
  });

  test("is what it ends in half a second, by the last sweep and those before", () => {
    const load = new ProcessLoad();
    const end = (count: number) => {
      for (let ended = 0; ended < count; ended += 1) load.ended();
    };
    load.sweep(0, true);
    end(1_000);
    // No time has passed: it counts at the next.
    load.sweep(0, true);
    load.sweep(100, true);
    expect([load.isEnough(2_499), load.isEnough(2_500)]).toEqual([false, true]);
    end(100);
    load.sweep(200, true);
    expect([load.isEnough(1_499), load.isEnough(1_500)]).toEqual([false, true]);
  });
});
