import { expect, test } from "@jest/globals";
import { TurnTime } from "./turn-time.ts";

function newTurnTime(workMs: number) {
  let elapsedMs = 0;
  const turns: (() => void)[] = [];
  const turnTime = new TurnTime({
    elapsed: () => elapsedMs,
    setImmediate(work) {
      turns.push(work);
      return { clear: () => undefined };
    },
  });
  const done: number[] = [];
  const work = (item: number): void => {
    elapsedMs += workMs;
    done.push(item);
  };
  return { done, turns, turnTime, work };
}

test("each has its turn in this one while there is time", () => {
  const { done, turns, turnTime, work } = newTurnTime(2);
  expect(turnTime.each([1, 2, 3], work)).toBeUndefined();
  expect([done, turns]).toEqual([[1, 2, 3], []]);
});

test("those for which this turn has no time left have theirs in later ones", async () => {
  const { done, turns, turnTime, work } = newTurnTime(6);
  const all = turnTime.each([1, 2, 3, 4, 5], work);
  expect(done).toEqual([1, 2]);
  turns.shift()?.();
  await new Promise(setImmediate);
  expect(done).toEqual([1, 2, 3, 4]);
  turns.shift()?.();
  await all;
  expect([done, turns]).toEqual([[1, 2, 3, 4, 5], []]);
});
