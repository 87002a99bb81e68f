import { expect, test } from "@jest/globals";
import { Computations } from "./computations/computations.ts";
import { audienceOf } from "./fixtures/calls.ts";
import { hasteOf, profileLingerMs } from "./haste.ts";

/** Of one call: read and linger of keying, read and linger of profiles. */
function longestWayMs({ fetchPauseMs, lingerMs }: ReturnType<typeof hasteOf>): number {
  return 2 * (fetchPauseMs + lingerMs);
}

test("while somebody waits for identifies the steps leave most of a quarter second to the work", () => {
  expect(longestWayMs(hasteOf({ isAny: true }))).toBeLessThanOrEqual(100);
});

test("while nothing is configured a step carries what half a second brings, and a commit what a second does", () => {
  expect(hasteOf({ isAny: false })).toEqual({ fetchPauseMs: 500, commitAfterMs: 1_000, lingerMs: 500 });
});

test("profiles do not gather while half of what may be outstanding is: reading would stand still for them", () => {
  const haste = hasteOf({ isAny: false });
  expect([0, 999, 1_000].map((events) => profileLingerMs(haste, events))).toEqual([500, 500, 0]);
});

test("the first audience hurries the next step, until the last one is deleted", () => {
  const computations = new Computations();
  const haste = (): number => hasteOf(computations).commitAfterMs;
  expect(haste()).toBe(1_000);
  const audience = audienceOf("buyers", { event: "Bought" });
  computations.apply(audience.id, audience);
  expect(haste()).toBe(250);
  computations.apply(audience.id, { ...audience, deletedAtMs: 1 });
  expect(haste()).toBe(1_000);
});
