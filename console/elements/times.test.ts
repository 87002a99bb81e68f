import { expect, test } from "@jest/globals";
import { amount, duration, longDuration, relativeTime, share, waitingText } from "./times.ts";

const NOW = Date.UTC(2026, 0, 31);

test.each([
  [0, "now"],
  [-999, "now"],
  [-61_000, "1 min. ago"],
  [10_500, "in 10 sec."],
  [-7_200_000, "2 hr. ago"],
  [-3 * 86_400_000, "3 days ago"],
])("a moment %d ms away is %s", (distanceMs, text) => {
  expect(relativeTime(NOW + distanceMs, NOW)).toBe(text);
});

test("a share that is not all is not shown as all", () => {
  expect([share(0, 0), share(1, 1), share(9_999, 10_000), share(0, 3)]).toEqual([
    undefined,
    "100 %",
    "99.9 %",
    "0.0 %",
  ]);
  expect([duration(null), duration(12.4), duration(1_250)]).toEqual(["–", "12 ms", "1.3 s"]);
});

test.each([
  [0, "about 0 s"],
  [119, "about 119 s"],
  [200, "about 3 min"],
  [7_200, "about 2 h"],
])("%d seconds are %s", (seconds, text) => {
  expect(longDuration(seconds)).toBe(text);
});

test("one thing has no plural", () => {
  expect([0, 1, 1_234].map((count) => amount(count, "call"))).toEqual(["0 calls", "1 call", "1,234 calls"]);
});

test.each([
  [{ calls: 0, isComplete: true }, "0 calls"],
  [{ calls: 1_234, isComplete: true }, "1,234 calls"],
  [{ calls: 1, isComplete: false }, "at least 1 call"],
  // So much waits for others that none was found in time.
  [{ calls: 0, isComplete: false }, undefined],
  [null, undefined],
])("what waits, %j, is %s", (waiting, text) => {
  expect(waitingText(waiting, "call")).toBe(text);
});
