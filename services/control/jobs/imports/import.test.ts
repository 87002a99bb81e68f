import { expect, test } from "@jest/globals";
import { importOf } from "./fixtures/import.ts";
import { applied, compared, confirmed, further, progressed, refused } from "./import.ts";

const COUNTS = { users: 10, suppressed: 0, members: 1_000, added: 0, removed: 0 };

test.each([
  { members: 50, removed: 49, state: "staged" },
  { members: 50, removed: 50, state: "held" },
  { members: 50, added: 1, removed: 50, state: "staged" },
  { members: 101, removed: 101, state: "held" },
  { members: 500, removed: 100, state: "staged" },
  { members: 500, removed: 101, state: "held" },
  { members: 1_000, removed: 200, state: "staged" },
  { members: 1_000, removed: 201, state: "held" },
])("of $members members $removed would go: $state", ({ members, added = 0, removed, state }) => {
  for (const mode of ["replace", "remove"] as const) {
    const one = compared(importOf({ mode }), { ...COUNTS, members, added, removed }, 2_000);
    expect([one.state, one.isCompared]).toEqual([state, state === "staged"]);
  }
});

test("an empty list that replaces is held; one that adds or takes away is not", () => {
  const stateOf = (mode: "replace" | "add" | "remove") =>
    compared(importOf({ mode, rows: 0 }), COUNTS, 2_000).state;
  expect([stateOf("replace"), stateOf("add"), stateOf("remove")]).toEqual(["held", "staged", "staged"]);
});

test("one that somebody wants to see first is held whatever it changes, until it is confirmed", () => {
  for (const mode of ["replace", "add", "remove"] as const) {
    const held = compared(importOf({ mode, isHeldByRequest: true }), { ...COUNTS, added: 1 }, 2_000);
    expect(held).toMatchObject({ state: "held", isCompared: false, added: 1 });
    expect(compared(confirmed(held, 5_000, 3_000), COUNTS, 4_000).state).toBe("staged");
  }
});

test("one that is confirmed is compared once more, behind all others, and not held again", () => {
  const held = compared(importOf(), { ...COUNTS, removed: 900 }, 2_000);
  const next = confirmed(held, 5_000, 3_000);
  expect(next).toMatchObject({
    state: "staged",
    isCompared: false,
    removed: 0,
    queuedAtMs: 5_000,
    stagedAtMs: 1_000,
  });
  expect(compared(next, { ...COUNTS, removed: 900 }, 4_000)).toMatchObject({ state: "staged", removed: 900 });
});

test("a wrong row refuses it; every change is newer than the one before, whatever the clock says", () => {
  const errors = [{ line: 3, message: "has no userId" }];
  expect(importOf({ errors, errorCount: 1 })).toMatchObject({
    state: "refused",
    errors,
    id: "aud_1:one",
  });
  const one = progressed(importOf(), { written: 3, rowsDone: 4, partitionsDone: 0 }, 500);
  const two = applied({ ...one, added: 4, removed: 1 }, 500);
  expect([one.updatedAtMs, two.updatedAtMs, two.written]).toEqual([1_001, 1_002, 5]);
  expect(refused(one, "gone", 9_000)).toMatchObject({
    state: "refused",
    errors: [{ line: 0, message: "gone" }],
  });
});

test("what a process that was cut off writes behind its successor takes nothing back", () => {
  const staged = importOf();
  const held = { ...staged, state: "held" };
  const again = confirmed(held, 5_000, 5_000);
  const ended = applied(staged, 3_000);
  // Its clock may be ahead.
  const late = progressed(staged, { rowsDone: 5, partitionsDone: 0, written: 5 }, 9_000);
  expect([further(undefined, late), further(staged, late), further(late, ended)]).toEqual([
    late,
    late,
    ended,
  ]);
  expect([further(ended, late), further(held, late)]).toEqual([ended, held]);
  expect([further(held, again), further(again, held), further(again, late)]).toEqual([again, again, again]);
});

test("another upload takes the place of one that was refused", () => {
  const wrong = importOf({ errors: [{ line: 2, message: "has no userId" }], errorCount: 1 });
  const right = importOf({ uploadId: "other" });
  expect([wrong.state, further(wrong, right)]).toEqual(["refused", right]);
});
