import { expect, test } from "@jest/globals";
import { RetryShare } from "./retry-share.ts";

/** The number of waiting jobs taken in hand of those that come at this moment. */
function taken(share: RetryShare, nowMs: number): number {
  let count = 0;
  while (count < 10_000 && share.takeWaiting(nowMs)) count += 1;
  return count;
}

test("waiting jobs get a fixed number of places in each tenth of a second", () => {
  const share = new RetryShare();
  expect([taken(share, 5_000), taken(share, 5_099), taken(share, 5_100)]).toEqual([32, 0, 32]);
});

test("beyond that they get one for every four new jobs of the same tenth", () => {
  const share = new RetryShare();
  for (let count = 0; count < 200; count += 1) share.fresh(5_000);
  expect(taken(share, 5_050)).toBe(50);
  share.fresh(5_100);
  expect(taken(share, 5_100)).toBe(32);
});

test("a clock that is put back does not keep them waiting", () => {
  const share = new RetryShare();
  expect([taken(share, 5_000), taken(share, 4_901), taken(share, 4_900)]).toEqual([32, 0, 32]);
});
