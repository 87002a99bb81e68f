import { expect, test } from "@jest/globals";
import type { Flip } from "#audiences";
import type { Telemetry } from "../telemetry.ts";
import { countingMembers } from "./counting-members.ts";

function flip(computationId: string, text: string): Flip {
  return { computationId, text } as Flip;
}

function newCounts() {
  const added: unknown[] = [];
  const passedOn: unknown[] = [];
  const telemetry = {
    incomplete: (...given: unknown[]) => void passedOn.push(given),
    sent: (...given: unknown[]) => void passedOn.push(given),
  } as unknown as Telemetry;
  const progress = { add: (...given: unknown[]) => void added.push(given) };
  return { added, passedOn, counting: countingMembers(telemetry, progress, 3) };
}

test("who comes and goes is counted where it is sent, and values of computed traits are not", () => {
  const { added, counting, passedOn } = newCounts();
  const flips = [flip("a", "true"), flip("b", "false"), flip("c", "12")];
  counting.sent(flips, 1_000);
  expect(added).toEqual([
    ["a", 3, { members: 1 }],
    ["b", 3, { members: -1 }],
  ]);
  expect(passedOn).toEqual([[flips, 1_000]]);
});

test("a profile that goes was a member until then", () => {
  const { added, counting } = newCounts();
  counting.membersLeft(["a", "b"]);
  expect(added).toEqual([
    ["a", 3, { members: -1 }],
    ["b", 3, { members: -1 }],
  ]);
});

test("only what a profile has become incomplete for, or is no more, is counted", () => {
  const { added, counting, passedOn } = newCounts();
  const before = new Set(["a", "b"]);
  counting.incomplete(before, before);
  expect([added, passedOn]).toEqual([[], []]);
  const now = new Set(["b", "c"]);
  counting.incomplete(before, now);
  expect(added).toEqual([
    ["c", 3, { incompleteProfiles: 1 }],
    ["a", 3, { incompleteProfiles: -1 }],
  ]);
  expect(passedOn).toEqual([[before, now]]);
});
