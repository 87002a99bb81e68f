import { expect, test } from "@jest/globals";
import { fencedMark, OpenWriters, openedMark } from "./open-writers.ts";

const mark = (key: string, partition = 0) => ({ key, partition, value: null });

test("writers are known by partition in the order of their marks, until they are fenced", () => {
  const writers = new OpenWriters();
  for (const id of ["7", "3"]) expect(writers.observe(mark(openedMark(id)))).toBe(true);
  writers.observe(mark(openedMark("5"), 1));
  expect([writers.of(0), writers.of(1), writers.of(2)]).toEqual([["7", "3"], ["5"], []]);
  expect(writers.observe(mark(fencedMark("7")))).toBe(true);
  expect(writers.of(0)).toEqual(["3"]);
});

test("a mark that is read again is not another writer", () => {
  const writers = new OpenWriters();
  for (const id of ["7", "3", "7"]) writers.observe(mark(openedMark(id)));
  expect(writers.of(0)).toEqual(["3", "7"]);
});

test("what is no mark is left to the table", () => {
  const writers = new OpenWriters();
  expect(writers.observe(mark("src_1"))).toBe(false);
  expect(writers.observe({ key: openedMark("1"), partition: 0, value: Buffer.from("v") })).toBe(false);
  expect(writers.observe({ key: null, partition: 0, value: null })).toBe(false);
});
