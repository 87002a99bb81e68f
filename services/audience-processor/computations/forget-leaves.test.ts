import { expect, test } from "@jest/globals";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { callOf } from "../fixtures/calls.ts";
import { changeProfiles } from "./forget-leaves.ts";

test("keys are listed for one turn of the event loop, not for the partition, and each profile is looked at once", async () => {
  const bench = await Bench.with();
  for (let n = 0; n < 200; n += 1) bench.call(callOf({ userId: `u${n}`, receivedAtMs: NOW_MS }));
  await bench.settled();
  const list = bench.store.keys.bind(bench.store);
  const turns = [0];
  bench.store.keys = function* (after) {
    for (const key of list(after)) {
      turns.push((turns.pop() ?? 0) + 1);
      yield key;
    }
  };
  const delay = async (): Promise<void> => {
    turns.push(0);
    await bench.settled();
  };
  const looked: string[] = [];
  const parts = {
    host: { delay, now: () => NOW_MS },
    signal: new AbortController().signal,
    worker: bench.worker,
  };
  await changeProfiles(parts, ({ id }) => looked.push(id) === 0);
  expect([looked.length, new Set(looked).size]).toEqual([200, 200]);
  expect(Math.max(...turns)).toBe(64);
});
