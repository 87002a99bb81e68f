import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { correctedTimestampMs, formatTimestamp, parseTimestamp } from "./timestamp.ts";

describe("parsing (contract 1.6)", () => {
  test.each([
    ["2009-11-10T23:00:00+0000", "2009-11-10T23:00:00.000Z"],
    ["2012-12-02T00:30:08.276Z", "2012-12-02T00:30:08.276Z"],
    ["2012-12-02T00:30:08.276789+00:00", "2012-12-02T00:30:08.276Z"],
    ["2012-12-02T00:30:08.2767891Z", "2012-12-02T00:30:08.276Z"],
    ["2012-12-02T00:30:08.276789123+02:00", "2012-12-01T22:30:08.276Z"],
    ["2012-12-02T00:30:08-0530", "2012-12-02T06:00:08.000Z"],
    ["2012-12-02T00:30Z", "2012-12-02T00:30:00.000Z"],
    ["2012-12-02 00:30:08+00:00", "2012-12-02T00:30:08.000Z"],
    ["2012-12-02 00:30:08+00", "2012-12-02T00:30:08.000Z"],
    ["2012-12-02 00:30:08.123456-05", "2012-12-02T05:30:08.123Z"],
    ["2012-12-02", "2012-12-02T00:00:00.000Z"],
    ["2012-12-02T00:30:08", "2012-12-02T00:30:08.000Z"],
    ["2012-12-02 00:30:08.123456", "2012-12-02T00:30:08.123Z"],
  ])("%s is read", (text, utc) => {
    expect(formatTimestamp(parseTimestamp(text) ?? Number.NaN)).toBe(utc);
  });

  test.each([
    "",
    "yesterday",
    "foo 1",
    "2012-13-02T00:00:00Z",
    "12/02/2012",
    "1354408208",
    1354408208276,
    null,
    {},
    "2".repeat(1_000),
  ])("%p is none", (value) => expect(parseTimestamp(value)).toBeUndefined());

  test.each(["T", " "])("with %p before the time, any offset is read as Date reads it", (separator) => {
    for (const offset of ["Z", "+00", "-05", "+0530", "-05:30"]) {
      const text = `2012-12-02${separator}00:30:08.5${offset}`;
      expect([text, parseTimestamp(text) ?? Number.NaN]).toEqual([text, Date.parse(text)]);
    }
  });

  test("formatting is that of toISOString, for any time", () => {
    fc.assert(
      fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (timestampMs) => {
        expect(formatTimestamp(timestampMs)).toBe(new Date(timestampMs).toISOString());
      }),
    );
  });
});

describe("clock skew (contract 1.6)", () => {
  const receivedAtMs = Date.parse("2024-05-01T10:00:00.000Z");

  test("a caller's wrong clock is taken out of the time: receivedAt − (sentAt − original)", () => {
    const times = { original: "2030-01-01T00:00:00.000Z", sentAt: "2030-01-01T00:00:05.000Z", receivedAtMs };
    expect(correctedTimestampMs(times)).toBe(receivedAtMs - 5_000);
  });

  test("without sentAt the caller's time stands: history is imported as it was", () => {
    const original = "2001-02-03T04:05:06.789Z";
    expect(correctedTimestampMs({ original, sentAt: undefined, receivedAtMs })).toBe(Date.parse(original));
    expect(correctedTimestampMs({ original, sentAt: "soon", receivedAtMs })).toBe(Date.parse(original));
  });

  test("without a readable time it is the server's", () => {
    expect(correctedTimestampMs({ original: undefined, sentAt: "2024-05-01T10:00:00Z", receivedAtMs })).toBe(
      receivedAtMs,
    );
    expect(correctedTimestampMs({ original: 12345, sentAt: undefined, receivedAtMs })).toBe(receivedAtMs);
  });
});

describe("bounds", () => {
  test("a date of 64 characters is read, a longer one is none", () => {
    const dated = (characters: number) => `2012-12-02T00:30:08.${"1".repeat(characters - 21)}Z`;
    expect(dated(64)).toHaveLength(64);
    expect(parseTimestamp(dated(64))).toBe(Date.parse("2012-12-02T00:30:08.111Z"));
    expect(parseTimestamp(dated(65))).toBeUndefined();
  });

  test("a corrected time may be the calendar's last and no later", () => {
    const receivedAtMs = 8.64e15 - 1_000;
    const correct = (original: string) =>
      correctedTimestampMs({ original, sentAt: "2024-05-01T10:00:00.000Z", receivedAtMs });
    expect(correct("2024-05-01T10:00:01.000Z")).toBe(8.64e15);
    expect(correct("2024-05-01T10:00:01.001Z")).toBe(Date.parse("2024-05-01T10:00:01.001Z"));
  });
});
