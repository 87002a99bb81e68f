import { expect, test } from "@jest/globals";
import type { MembershipImport } from "#topics";
import { oldestHeldMs } from "./held.ts";

function importOf(audienceId: string, state: string, heldAtMs: number): readonly [string, MembershipImport] {
  const times = { queuedAtMs: heldAtMs - 5, updatedAtMs: heldAtMs };
  return [`${audienceId}:${heldAtMs}`, { audienceId, state, ...times } as MembershipImport];
}

const isThere = (audienceId: string): boolean => audienceId !== "gone";

test("the import that waits longest says since when; none waits where nothing is held", () => {
  expect(oldestHeldMs([importOf("a", "applied", 10), importOf("a", "refused", 20)], isThere)).toBeUndefined();
  const held = [importOf("a", "held", 300), importOf("b", "held", 200), importOf("c", "staged", 100)];
  expect(oldestHeldMs(held, isThere)).toBe(200);
});

test("who had it held to see its differences needs no reminder", () => {
  const [id, one] = importOf("a", "held", 100);
  expect(oldestHeldMs([[id, { ...one, isHeldByRequest: true }]], isThere)).toBeUndefined();
});

test("nobody is waited for when the list is gone, or a later import was applied to it", () => {
  const held = [importOf("gone", "held", 100), importOf("a", "held", 200), importOf("b", "held", 300)];
  expect(oldestHeldMs([...held, importOf("a", "applied", 250)], isThere)).toBe(300);
  expect(oldestHeldMs([...held, importOf("a", "applied", 150)], isThere)).toBe(200);
});
