import { expect, test } from "@jest/globals";
import { Need } from "./need.ts";

const MINUTE_MS = 60_000;

function setup(configured: readonly { deletedAtMs: number | null }[]) {
  const clock = { nowMs: 0 };
  return { clock, need: new Need(() => configured, { elapsed: () => clock.nowMs }) };
}

test("nobody needs profiles where nothing is configured, or was deleted, and nobody asks", () => {
  expect(setup([]).need.isThere).toBe(false);
  expect(setup([{ deletedAtMs: 1 }]).need.isThere).toBe(false);
});

test("an audience needs them, whoever asks", () => {
  expect(setup([{ deletedAtMs: 1 }, { deletedAtMs: null }]).need.isThere).toBe(true);
});

test("a question needs them for ten minutes, each one anew", () => {
  const { clock, need } = setup([]);
  need.asked();
  clock.nowMs = 9 * MINUTE_MS;
  need.asked();
  clock.nowMs = 18 * MINUTE_MS;
  expect(need.isThere).toBe(true);
  clock.nowMs = 19 * MINUTE_MS;
  expect(need.isThere).toBe(false);
});
