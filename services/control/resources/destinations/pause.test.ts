import { expect, test } from "@jest/globals";
import { destination } from "#support/records";
import { paused, resumed } from "./pause.ts";

const ACTIVE = destination();

test("a destination knows how long its ended pauses lasted, together", () => {
  const first = resumed(paused(ACTIVE, "2h", { nowMs: 1_000 }), { nowMs: 5_000 });
  expect(first).toMatchObject({ pausedAtMs: null, pauseLimitMs: null, pausedMs: 4_000 });
  const longer = paused(paused(first, null, { nowMs: 6_000 }), "1h", { nowMs: 7_000 });
  expect(longer).toMatchObject({ pausedAtMs: 6_000, pausedMs: 4_000 });
  expect(resumed(longer, { nowMs: 9_000 })).toMatchObject({ pausedMs: 7_000 });
});

test("a clock that was set back takes nothing away from them", () => {
  const before = { ...ACTIVE, pausedMs: 4_000 };
  expect(resumed(paused(before, null, { nowMs: 6_000 }), { nowMs: 5_000 })).toMatchObject({
    pausedMs: 4_000,
  });
});
