import { beforeEach, expect, test } from "@jest/globals";
import { compileSet } from "#audiences";
import { Looks } from "./looks.ts";

let computations: { set: ReturnType<typeof compileSet> };
let worker: { term: number };
let changes: number;
let looks: Looks;

beforeEach(() => {
  computations = { set: compileSet([]) };
  worker = { term: 0 };
  changes = 0;
  looks = new Looks({ computations, worker, progressChanges: () => changes });
});

test("while something is found to do, each look is due", () => {
  expect([looks.isDue(), looks.isDue()]).toEqual([true, true]);
});

test.each([
  {
    when: "another set is compiled",
    change() {
      computations.set = compileSet([]);
    },
  },
  {
    when: "progress has changed",
    change() {
      changes += 1;
    },
  },
  {
    when: "the partition has come back",
    change() {
      worker.term += 1;
    },
  },
])("after one that has found nothing the next is due when $when", ({ change }) => {
  looks.isDue();
  looks.foundNothing();
  expect([looks.isDue(), looks.isDue()]).toEqual([false, false]);
  change();
  expect(looks.isDue()).toBe(true);
  looks.foundNothing();
  expect(looks.isDue()).toBe(false);
});

test("what the look itself has changed makes another one due", () => {
  looks.isDue();
  changes += 1;
  looks.foundNothing();
  expect(looks.isDue()).toBe(true);
});
