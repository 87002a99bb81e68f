import { expect, test } from "@jest/globals";
import { parseRfc3339 } from "./times.ts";

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
