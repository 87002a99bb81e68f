import { expect, test } from "@jest/globals";
import { parseDuration, parseRfc3339 } from "./times.ts";

test.each([
  ["60s", 60_000],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["30d", 2_592_000_000],
])("%j is %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(["", "0s", "05m", "1.5h", "1w", "1h30m", "-1d", " 1d", "1D", 60, null, "9999999999s"])(
  "%j is no duration",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test.each([
  ["2026-01-31T00:00:00Z", Date.UTC(2026, 0, 31)],
  ["2026-01-31t01:02:03.5z", Date.UTC(2026, 0, 31, 1, 2, 3, 500)],
  ["2024-02-29T23:59:59.123456+02:00", Date.UTC(2024, 1, 29, 21, 59, 59, 123)],
])("%j is a date", (text, ms) => {
  expect(parseRfc3339(text)).toBe(ms);
});

test.each([
  "2026-01-31",
  "2026-01-31T00:00Z",
  "2026-01-31T00:00:00",
  "2026-01-31 00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-31T24:00:00Z",
  "01/31/2026",
  "yesterday",
  1_769_817_600_000,
  null,
])("%j is no RFC 3339 date-time", (text) => {
  expect(parseRfc3339(text)).toBeUndefined();
});
