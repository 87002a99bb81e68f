import { expect, test } from "@jest/globals";
import { Membership } from "./membership.ts";

const SESSION_MS = 6_000;

test("a member is sure of its partitions for one and a half session timeouts after it asked, to the millisecond", () => {
  let nowMs = 1_000_000;
  const membership = new Membership(SESSION_MS, { now: () => nowMs });
  expect(membership.isSure).toBe(false);
  membership.answered(nowMs - 2_000);
  nowMs += 9_000 - 2_000 - 1;
  expect(membership.isSure).toBe(true);
  nowMs += 1;
  expect(membership.isSure).toBe(false);
  membership.answered(nowMs);
  expect(membership.isSure).toBe(true);
});
