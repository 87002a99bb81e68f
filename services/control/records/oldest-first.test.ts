import { expect, test } from "@jest/globals";
import { byAge, type Listed } from "../http/pages.ts";
import { OldestFirst } from "./oldest-first.ts";

interface Entry extends Listed {
  readonly version: number;
}

/** Entries that are made, changed and removed by `draw`, which gives numbers below its argument. */
function follow(draw: (below: number) => number, steps: number): void {
  const table = new Map<string, Entry>();
  let sorts = 0;
  const oldestFirst = new OldestFirst<Entry>(() => {
    sorts += 1;
    return table.values();
  });
  for (let version = 0; version < steps; version += 1) {
    const id = `d${draw(12)}`;
    const before = table.get(id);
    const isGone = before !== undefined && draw(4) === 0;
    const isMovedBack = draw(8) === 0;
    const createdAtMs = before !== undefined && !isMovedBack ? before.createdAtMs : draw(2) * 1_000 + version;
    const value = isGone ? undefined : { id, createdAtMs, version };
    if (value === undefined) table.delete(id);
    else table.set(id, value);
    oldestFirst.changed(before, value);
    if (draw(3) > 0) expect(oldestFirst.list()).toEqual([...table.values()].sort(byAge));
  }
  expect(sorts).toBeLessThan(steps);
}

test.each([1, 2, 3, 4, 5, 6])(
  "a list is as if it was sorted anew, whatever has come and gone (%i)",
  (seed) => {
    let state = seed * 7_919;
    follow((below) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % below;
    }, 400);
  },
);

test("changes and what comes last sort nothing anew, and a list that was given stays as it was", () => {
  const entries = Array.from({ length: 5 }, (_, index) => ({ id: `d${index}`, createdAtMs: 1, version: 0 }));
  let sorts = 0;
  const oldestFirst = new OldestFirst<Entry>(() => {
    sorts += 1;
    return entries;
  });
  const given = oldestFirst.list();
  const [first, second] = entries as [Entry, Entry];
  oldestFirst.changed(second, { ...second, version: 1 });
  oldestFirst.changed(first, undefined);
  oldestFirst.changed(undefined, { id: "d9", createdAtMs: 1, version: 0 });
  expect(oldestFirst.list().map(({ id, version }) => `${id} ${version}`)).toEqual([
    "d1 1",
    "d2 0",
    "d3 0",
    "d4 0",
    "d9 0",
  ]);
  expect(given).toEqual(entries);
  expect(sorts).toBe(1);
});
