import { expect, test } from "@jest/globals";
import { TakenJobs } from "./taken.ts";

const PLACE = { topic: "retry-1", partition: 3 };

function takenJobs(...offsets: number[]): TakenJobs {
  const taken = new TakenJobs();
  for (const offset of offsets) taken.add("d", { ...PLACE, offset, timestampMs: 1_000 });
  return taken;
}

test("each is counted once, and the last record of an offset counts", () => {
  const taken = takenJobs(5, 5, 6);
  taken.add("d", { ...PLACE, offset: 5, timestampMs: 2_000 });
  expect([taken.size, taken.has("d", { offset: 5, timestampMs: 2_000 })]).toEqual([2, true]);
});

test("what a cursor covers is forgotten, of that destination alone", () => {
  const taken = takenJobs(5, 6, 7);
  taken.add("e", { ...PLACE, offset: 5, timestampMs: 1_000 });
  taken.forgetBelow("d", 7);
  taken.forgetBelow("none", 7);
  expect(taken.size).toBe(2);
  expect([5, 6, 7].map((offset) => taken.has("d", { offset, timestampMs: 1_000 }))).toEqual([
    false,
    false,
    true,
  ]);
  expect(taken.has("e", { offset: 5, timestampMs: 1_000 })).toBe(true);
});

test("what the reader is past is forgotten: it stands behind the job", () => {
  const taken = takenJobs(5, 6);
  const asked: unknown[] = [];
  taken.forgetPassed((place) => {
    asked.push(place);
    return place.belowOffset <= 6;
  });
  expect(asked).toEqual([6, 7].map((belowOffset) => ({ ...PLACE, belowOffset })));
  expect([taken.size, taken.has("d", { offset: 6, timestampMs: 1_000 })]).toEqual([1, true]);
  taken.forgetPassed(() => true);
  taken.forgetPassed(() => {
    throw new Error("nothing is left to ask for");
  });
  expect(taken.size).toBe(0);
});

test("a hundred thousand are remembered, and no more", () => {
  const taken = new TakenJobs();
  for (let offset = 0; offset < 100_001; offset += 1)
    taken.add("d", { ...PLACE, offset, timestampMs: 1_000 });
  expect([taken.size, taken.has("d", { offset: 100_000, timestampMs: 1_000 })]).toEqual([100_000, false]);
});
