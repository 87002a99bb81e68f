import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { PartitionOffsets, RawRecord, ReadRangeOptions } from "#kafka";
import { recordedLog } from "#support/recorded-log";
import { followTail, type TailOptions } from "./tail.ts";

/** A topic whose ends the test moves, one look after the other. */
async function looks(ends: readonly (PartitionOffsets[] | Error)[], isUnreadable = (_: number) => false) {
  const read: [number, number, number][] = [];
  const passed: number[] = [];
  const ending = new AbortController();
  let looked = 0;
  const left = [...ends];
  const options: TailOptions = {
    admin: {
      async offsets() {
        const next = left.shift();
        if (next instanceof Error) throw next;
        return next ?? [];
      },
    },
    kafka: {
      async readRange({ partition, fromOffset, toOffset, onRecord }: ReadRangeOptions) {
        read.push([partition, fromOffset, toOffset]);
        for (let offset = fromOffset; offset < toOffset; offset += 1) {
          if (isUnreadable(offset)) throw new Error("away");
          await onRecord({ partition, offset } as RawRecord);
        }
      },
    },
    topics: ["calls"],
    onRecord: () => undefined,
    onPassedOver: (records) => void passed.push(records),
    onLooked: () => {
      looked += 1;
    },
    host: {
      ...systemHost,
      async delay() {
        if (left.length === 0) ending.abort();
      },
    },
    logger: recordedLog().logger,
  };
  await followTail(options, ending.signal);
  return { looked, passed, read };
}

const at = (high: number, partition = 0): PartitionOffsets => ({ partition, low: 0, high });

test("nothing that was there before is read, and then what is new", async () => {
  const { looked, read } = await looks([
    [at(10), at(5, 1)],
    [at(10), at(8, 1)],
    [at(12), at(8, 1)],
  ]);
  expect(read).toEqual([
    [1, 5, 8],
    [0, 10, 12],
  ]);
  expect(looked).toBe(3);
});

test("of what comes faster than it is looked at the newest is read, and the rest counted", async () => {
  const { passed, read } = await looks([[at(10)], [at(1_010)]]);
  expect([read, passed]).toEqual([[[0, 810, 1_010]], [800]]);
});

test("a topic that was created again is read from where it is then, and a failure ends nothing", async () => {
  const { looked, read } = await looks([[at(10)], new Error("away"), [at(3)], [at(4)]]);
  expect(read).toEqual([[0, 3, 4]]);
  expect(looked).toBe(3);
});

test("records that a failure keeps from being read are counted", async () => {
  const { passed, read } = await looks([[at(10)], [at(15)], [at(16)]], (offset) => offset === 12);
  expect(read.at(-1)).toEqual([0, 15, 16]);
  expect(passed).toEqual([3]);
});
