import { expect, test } from "@jest/globals";
import { hasteOf } from "./haste.ts";

/** Of one call: read and linger of keying, read and linger of profiles. */
function longestWayMs({ fetchPauseMs, lingerMs }: ReturnType<typeof hasteOf>): number {
  return 2 * (fetchPauseMs + lingerMs);
}

test("while somebody waits for identifies the steps leave most of a quarter second to the work", () => {
  expect(longestWayMs(hasteOf({ size: 1 }))).toBeLessThanOrEqual(100);
});

test("while nothing is configured a step carries what a fifth of a second brings, and a commit what a second does", () => {
  expect(hasteOf({ size: 0 })).toEqual({ fetchPauseMs: 200, commitAfterMs: 1_000, lingerMs: 200 });
});

test("the first audience hurries the next step", () => {
  const configs = new Map<string, object>();
  const haste = (): number => hasteOf(configs).commitAfterMs;
  expect(haste()).toBe(1_000);
  configs.set("aud_1", {});
  expect(haste()).toBe(100);
});
