import { expect, test } from "@jest/globals";
import { Membership } from "./membership.ts";

const SESSION_MS = 6_000;

test("a member is sure of its partitions for one and a half session timeouts after it asked, to the millisecond", () => {
  let nowMs = 1_000_000;
  const membership = new Membership(
    { sessionTimeoutMs: SESSION_MS },
    { now: () => nowMs, elapsed: () => nowMs },
  );
  expect(membership.isSure).toBe(false);
  membership.answered(nowMs - 2_000);
  nowMs += 9_000 - 2_000 - 1;
  expect(membership.isSure).toBe(true);
  nowMs += 1;
  expect(membership.isSure).toBe(false);
  membership.answered(nowMs);
  expect(membership.isSure).toBe(true);
});

test("a member that asks for it is sure for as long as nobody else can have its partitions", () => {
  let nowMs = 1_000_000;
  const options = { sessionTimeoutMs: SESSION_MS, unsureAfterSessions: 1 };
  const membership = new Membership(options, { now: () => nowMs, elapsed: () => nowMs });
  membership.answered(nowMs);
  nowMs += SESSION_MS - 1;
  expect(membership.isSure).toBe(true);
  nowMs += 1;
  expect(membership.isSure).toBe(false);
});

test.each([
  ["is not sure any more, if others may have its partitions then", 1, false],
  ["is sure for as long as before, where working beside others for a while does no harm", 1.5, true],
])("a member that has left its group %s", (_, unsureAfterSessions, isSure) => {
  const host = { now: () => 1_000_000, elapsed: () => 1_000_000 };
  const membership = new Membership({ sessionTimeoutMs: SESSION_MS, unsureAfterSessions }, host);
  membership.answered(1_000_000);
  membership.left();
  expect(membership.isSure).toBe(isSure);
  membership.answered(1_000_000);
  expect(membership.isSure).toBe(true);
});

/** A member that was answered just now, and the two clocks of its machine. */
function answeredMember() {
  const clocks = { nowMs: 1_000_000, elapsedMs: 5_000 };
  const host = { now: () => clocks.nowMs, elapsed: () => clocks.elapsedMs };
  const membership = new Membership({ sessionTimeoutMs: SESSION_MS }, host);
  membership.answered(clocks.nowMs);
  return { clocks, membership };
}

test("a clock that is set back does not make a member sure for longer", () => {
  const { clocks, membership } = answeredMember();
  clocks.nowMs -= 45_000;
  clocks.elapsedMs += 9_000;
  expect(membership.isSure).toBe(false);
});

test("a member is not sure after its machine has slept, when only the clock of the day went on", () => {
  const { clocks, membership } = answeredMember();
  clocks.nowMs += 9_000;
  expect(membership.isSure).toBe(false);
});

test("an answer to what was asked while the clock was ahead counts from when it came at the latest", () => {
  const { clocks, membership } = answeredMember();
  membership.answered(clocks.nowMs + 45_000);
  clocks.elapsedMs += 8_999;
  expect(membership.isSure).toBe(true);
  clocks.elapsedMs += 1;
  expect(membership.isSure).toBe(false);
});
