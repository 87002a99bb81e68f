import { expect, test } from "@jest/globals";
import { record } from "../fixtures/stub-session.ts";
import { type Held, HeldQueue, hold, received } from "./held.ts";

const held = (offset: number): Held<string> => hold(record(0, offset, "x".repeat(10)));
const offsets = (records: readonly Held<string>[]) => records.map(({ record }) => record.offset);

function queueOf(...list: number[]): HeldQueue<string> {
  const queue = new HeldQueue<string>();
  for (const offset of list) queue.push(held(offset));
  return queue;
}

test("what is held weighs its value and what a record costs beside it", () => {
  expect(held(0).sizeBytes).toBe(210);
  expect(hold({ ...record(0, 1), value: null }).sizeBytes).toBe(200);
  expect(received(record(0, 3), "decoded")).toEqual({ ...record(0, 3), decoded: "decoded" });
});

test("records leave in the order in which they came, and the queue weighs what is in it", () => {
  const queue = queueOf(0, 1, 2);
  expect([queue.head?.record.offset, queue.sizeBytes]).toEqual([0, 630]);
  queue.shift();
  expect([queue.head?.record.offset, queue.sizeBytes]).toEqual([1, 420]);
  expect([offsets(queue.clear()), queue.sizeBytes, queue.head]).toEqual([[1, 2], 0, undefined]);
  queue.shift();
  expect(queue.sizeBytes).toBe(0);
});

test("one that was let go comes back into its place", () => {
  const queue = queueOf(0, 1, 2, 3);
  for (let count = 0; count < 2; count += 1) queue.shift();
  for (const offset of [1, 0]) queue.putBack(held(offset));
  expect([queue.head?.record.offset, queue.sizeBytes]).toEqual([0, 840]);
  queue.shift();
  queue.putBack(held(5));
  queue.putBack(held(4));
  expect(offsets(queue.clear())).toEqual([1, 2, 3, 4, 5]);
});

test("the order stays when many have left", () => {
  const queue = queueOf(...Array.from({ length: 1_000 }, (_, offset) => offset));
  for (let count = 0; count < 600; count += 1) queue.shift();
  queue.putBack(held(599));
  expect(queue.head?.record.offset).toBe(599);
  expect(queue.clear()).toHaveLength(401);
});
