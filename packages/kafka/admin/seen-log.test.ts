import { beforeEach, expect, test } from "@jest/globals";
import { SeenLog } from "./seen-log.ts";

let memory: SeenLog;

beforeEach(() => {
  memory = new SeenLog();
});

function look(...bounds: readonly (readonly [low: number, high: number])[]): string[] {
  const lost = memory.judge()(bounds.map(([low, high], partition) => ({ partition, low, high })));
  return lost.map(({ partition, why }) => `${partition}: ${why}`);
}

test("a partition that grows, or never had a record, has lost nothing", () => {
  expect(look([0, 0], [0, 3])).toEqual([]);
  expect(memory.hadRecords).toBe(true);
  expect(look([0, 1], [0, 9])).toEqual([]);
});

test("an end that moves back and a beginning that moves on are losses, until something is written there", () => {
  look([0, 5], [0, 5]);
  const said = ["0: its end was 5 and is 3", "1: its beginning was 0 and is 2"];
  expect(look([0, 3], [2, 5])).toEqual(said);
  expect(look([0, 3], [2, 5])).toEqual(said);
  expect(look([0, 4], [2, 5])).toEqual(said.slice(1));
  expect(look([0, 4], [2, 6])).toEqual([]);
  expect(look([0, 4], [2, 6])).toEqual([]);
});

test("a partition that lost all it had shows it to who sees it for the first time, one with records left does not", () => {
  expect(look([4, 4], [2, 5])).toEqual(["0: it is empty, and had records"]);
  expect(look([4, 5], [2, 5])).toEqual([]);
});

test("what was read was there, whatever offsets were seen; an answer from before that is no loss", () => {
  memory.hasRead(0, 7);
  expect(look([3, 7])).toEqual([]);
  const judge = memory.judge();
  memory.hasRead(0, 9);
  expect(judge([{ partition: 0, low: 3, high: 8 }])).toEqual([]);
  expect(look([3, 8])).toEqual(["0: its end was 9 and is 8"]);
});

test("a topic that is lost and then created again is whole with its first records", () => {
  look([0, 100]);
  expect(look([0, 90])).toHaveLength(1);
  expect(look([0, 0])).toHaveLength(1);
  expect(look([0, 1])).toEqual([]);
});
