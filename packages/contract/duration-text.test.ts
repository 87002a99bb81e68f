import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatDuration, parseDuration } from "./duration-text.ts";

describe("a duration", () => {
  test.each([
    ["250ms", 250],
    ["90s", 90_000],
    ["1.5h", 5_400_000],
    ["1.5m", 90_000],
    ["2d", 172_800_000],
    ["PT2H", 7_200_000],
    ["P1DT30M", 88_200_000],
    ["PT0.5S", 500],
    ["0s", 0],
  ])("%s is %d ms", (text, ms) => expect(parseDuration(text)).toBe(ms));

  const none = [
    "",
    "2",
    "2 h",
    "P",
    "PT",
    "P1W",
    "P1DT",
    "PT1.5H",
    "-1h",
    "h",
    "1h30m",
    "1w",
    " 1d",
    "1D",
    "1e3s",
  ];
  test.each([...none, 60, null])("%j is none", (value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  test("is shown in the largest unit that divides it", () => {
    expect([500, 90_000, 5_400_000, 7_200_000, 86_400_000].map((ms) => formatDuration(ms))).toEqual([
      "500ms",
      "90s",
      "90m",
      "2h",
      "1d",
    ]);
  });

  test("is shown in no larger unit than asked for", () => {
    expect([86_400_000, 90_000].map((ms) => formatDuration(ms, "h"))).toEqual(["24h", "90s"]);
  });

  test("that is shown reads back as the same", () => {
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
