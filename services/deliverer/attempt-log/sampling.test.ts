import { describe, expect, test } from "@jest/globals";
import { Sampling } from "./sampling.ts";

const NOON_MS = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

describe("which requests get a record when the clock jumps", () => {
  test("a clock that was set back an hour leaves out no success for the hour", () => {
    const sampling = new Sampling({ failures: 1, successes: 1_000 }, 10);
    const recorded = (atMs: number, successes: number) =>
      Array.from({ length: successes }, () => sampling.success("d", atMs)).filter(Boolean).length;
    expect(recorded(NOON_MS, 100)).toBe(1 + 60);
    expect(recorded(NOON_MS - HOUR_MS, 100)).toBe(60);
    expect(recorded(NOON_MS - HOUR_MS + 999, 1)).toBe(0);
    expect(recorded(NOON_MS - HOUR_MS + 1_000, 2)).toBe(1);
  });

  test("nor is a failure, or a success of all destinations together, measured by the second before", () => {
    const sampling = new Sampling({ failures: 1, successes: 1 }, 10);
    expect(sampling.failure("d", NOON_MS)).toBe(0);
    expect(sampling.failure("d", NOON_MS + 999)).toBeUndefined();
    expect(sampling.failure("d", NOON_MS - HOUR_MS)).toBe(1);
    for (const first of ["e", "f"]) expect(sampling.success(first, NOON_MS)).toBe(true);
    expect([sampling.success("e", NOON_MS), sampling.success("f", NOON_MS + 999)]).toEqual([true, false]);
    expect(sampling.success("f", NOON_MS - HOUR_MS)).toBe(true);
  });
});

test("the first success of a destination always has a record, until there are more than are held: it may have failed in another process", () => {
  const sampling = new Sampling({ failures: 1, successes: 1 }, 3);
  const successes = (ids: string) => [...ids].filter((id) => sampling.success(id, NOON_MS)).join("");
  expect(successes("abcabc")).toBe("abca");
  expect(successes("defabcdef")).toBe("");
});
