import { describe, expect, test } from "@jest/globals";
import { createLogLimit } from "./log-limit.ts";

const PERIOD_MS = 60_000;
const NOON_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function setup() {
  const clock = { nowMs: NOON_MS };
  return { clock, heldBackBefore: createLogLimit(PERIOD_MS, () => clock.nowMs) };
}

describe("one line of a kind in a period", () => {
  test("holds the others back until the period is over, then says how many they were", () => {
    const { clock, heldBackBefore } = setup();
    expect([heldBackBefore("a"), heldBackBefore("a")]).toEqual([0, undefined]);
    clock.nowMs += PERIOD_MS - 1;
    expect(heldBackBefore("a")).toBeUndefined();
    clock.nowMs += 1;
    expect(heldBackBefore("a")).toBe(2);
    expect(heldBackBefore("a")).toBeUndefined();
  });

  test("a clock that was set back an hour silences nothing for the hour", () => {
    const { clock, heldBackBefore } = setup();
    heldBackBefore("a");
    heldBackBefore("a");
    clock.nowMs -= HOUR_MS;
    expect(heldBackBefore("a")).toBe(1);
    clock.nowMs += PERIOD_MS - 1;
    expect(heldBackBefore("a")).toBeUndefined();
    clock.nowMs += 1;
    expect(heldBackBefore("a")).toBe(1);
  });

  test("of more than ten thousand kinds all are forgotten, so that memory has a bound", () => {
    const { heldBackBefore } = setup();
    for (let kind = 0; kind < 10_000; kind += 1) heldBackBefore(`${kind}`);
    expect(heldBackBefore("0")).toBeUndefined();
    expect(heldBackBefore("10000")).toBe(0);
    expect(heldBackBefore("0")).toBe(0);
  });
});
