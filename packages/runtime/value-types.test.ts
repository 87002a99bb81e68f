import { describe, expect, test } from "@jest/globals";
import {
  cidr,
  duration,
  durationOrOff,
  flag,
  hostPort,
  httpUrl,
  integer,
  listOf,
  type ValueType,
} from "./value-types.ts";

function parsed<T>(type: ValueType<T>, text: string): T | "refused" {
  const result = type.parse(text);
  return result.ok ? result.value : "refused";
}

test("a duration that may be off is Infinity then", () => {
  expect(["1.5m", "off", "OFF", "0", "0s", "10"].map((text) => parsed(durationOrOff, text))).toEqual([
    90_000,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    "refused",
  ]);
});

test("a duration is in milliseconds, and needs its unit", () => {
  expect(["1.5m", "PT90S", "10"].map((text) => parsed(duration, text))).toEqual([90_000, 90_000, "refused"]);
});

describe("other kinds", () => {
  test("flags", () => {
    expect(["true", "1", "YES"].map((text) => parsed(flag, text))).toEqual([true, true, true]);
    expect(["false", "0", "off"].map((text) => parsed(flag, text))).toEqual([false, false, false]);
    expect(parsed(flag, "maybe")).toBe("refused");
  });

  test("whole numbers within their bounds", () => {
    const small = integer({ min: 1, max: 10 });
    expect(["1", "10", "0", "11", "1.5", "", "1e1"].map((text) => parsed(small, text))).toEqual([
      1,
      10,
      "refused",
      "refused",
      "refused",
      "refused",
      "refused",
    ]);
  });

  test("brokers", () => {
    expect(parsed(listOf(hostPort), "a:1, b.example:9092,,[::1]:9092")).toEqual([
      "a:1",
      "b.example:9092",
      "[::1]:9092",
    ]);
    for (const wrong of ["a", "a:0", "a:65536", "http://a:1", ":1", "a b:1"])
      expect(parsed(hostPort, wrong)).toBe("refused");
  });

  test("URLs lose a trailing slash and need http or https", () => {
    expect(parsed(httpUrl, "http://r:8081/apis/")).toBe("http://r:8081/apis");
    for (const wrong of ["r:8081", "ftp://r", ""]) expect(parsed(httpUrl, wrong)).toBe("refused");
  });

  test("CIDRs of both families", () => {
    for (const right of ["10.0.0.0/8", "127.0.0.1/32", "fd00::/8", "::1/128"])
      expect(parsed(cidr, right)).toBe(right);
    for (const wrong of ["10.0.0.0", "10.0.0.0/33", "fd00::/129", "ten/8", "10.0.0.0/8/8"])
      expect(parsed(cidr, wrong)).toBe("refused");
  });

  test("a wrong item of a list is named by its place", () => {
    expect(listOf(duration).parse("1s,2")).toEqual({
      ok: false,
      problem: "item 2 is not a duration such as 250ms, 10s, 5m, 4h or 1d",
    });
  });
});
