import { expect, test } from "@jest/globals";
import type { EditLock } from "#topics";
import { EditLocks } from "./edit-locks.ts";

const SECOND_MS = 1_000;

function locksOf(...log: Partial<EditLock>[]): EditLocks {
  const locks = new EditLocks();
  for (const lock of log) locks.observe({ id: "d", version: "v1", holder: "p", number: 1, atMs: 0, ...lock });
  return locks;
}

test("of several locks for one version the first in the log holds", () => {
  const locks = locksOf({ holder: "p" }, { holder: "q", atMs: SECOND_MS });
  expect(locks.holder("d", "v1")).toBe("p");
  expect(locks.holder("d", "v2")).toBeUndefined();
  expect(locks.holder("other", "v1")).toBeUndefined();
});

test("the holder may try again, and then holds for longer", () => {
  const locks = locksOf(
    { holder: "p" },
    { holder: "p", atMs: 15 * SECOND_MS },
    { holder: "q", atMs: 25 * SECOND_MS },
  );
  expect(locks.holder("d", "v1")).toBe("p");
});

test("a holder that has not written for twenty seconds is followed by another", () => {
  expect(locksOf({ holder: "p" }, { holder: "q", atMs: 20 * SECOND_MS - 1 }).holder("d", "v1")).toBe("p");
  expect(locksOf({ holder: "p" }, { holder: "q", atMs: 20 * SECOND_MS }).holder("d", "v1")).toBe("q");
});

test("a late lock for an old version does not free the present one", () => {
  const locks = locksOf(
    { version: "v1" },
    { version: "v2" },
    { version: "v1", holder: "q", atMs: SECOND_MS },
  );
  expect(locks.holder("d", "v2")).toBe("p");
});

test("what was edited can be made again at once when it is deleted", () => {
  const locks = locksOf({ version: "" }, { version: "v1" }, { version: "", holder: "q" });
  expect(locks.holder("d", "")).toBe("q");
});

test("a holder knows when it has read its own lock, also one that came to nothing", () => {
  const locks = locksOf({ holder: "p" }, { holder: "q", number: 7 });
  expect([locks.hasRead("q", 7), locks.hasRead("q", 8), locks.hasRead("r", 1)]).toEqual([true, false, false]);
});
