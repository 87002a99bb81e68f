import { expect, test } from "@jest/globals";
import type { Telemetry } from "../telemetry.ts";
import { countingIncomplete } from "./counting-incomplete.ts";

test("only what a profile has become incomplete for, or is no more, is counted", () => {
  const added: unknown[] = [];
  const passedOn: unknown[] = [];
  const telemetry = {
    incomplete: (...given: unknown[]) => void passedOn.push(given),
  } as unknown as Telemetry;
  const progress = { addIncomplete: (...given: unknown[]) => void added.push(given) };
  const counting = countingIncomplete(telemetry, progress, 3);
  const before = new Set(["a", "b"]);
  counting.incomplete(before, before);
  expect([added, passedOn]).toEqual([[], []]);
  const now = new Set(["b", "c"]);
  counting.incomplete(before, now);
  expect(added).toEqual([
    ["c", 3, 1],
    ["a", 3, -1],
  ]);
  expect(passedOn).toEqual([[before, now]]);
});
