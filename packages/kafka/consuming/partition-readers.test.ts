import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { recordingLogger } from "../fixtures/recording-logger.ts";
import { batchOf, record } from "../fixtures/stub-session.ts";
import type { Settle } from "../runner-types.ts";
import { Capacity } from "./capacity.ts";
import { PartitionReaders } from "./partition-readers.ts";
import type { Work } from "./settlement.ts";

const PARTITION = { topic: "t", partition: 0 };
const OTHER = { topic: "t", partition: 1 };

function newBench() {
  const open: Settle[] = [];
  const capacity = new Capacity(10, 1e6, systemHost);
  const work: Work<string> = {
    decode: () => "",
    step: (_, settle) => void open.push(settle),
    deadLetter: () => [],
    write: async () => undefined,
  };
  const partitionReaders = new PartitionReaders<string>({
    logger: recordingLogger().logger,
    host: systemHost,
    setPaused: () => undefined,
    mayBegin: () => true,
    isSure: () => true,
    onSettled: () => undefined,
    shareOf: () => ({ capacity, options: { work } }),
  });
  partitionReaders.assign([PARTITION, OTHER]);
  return { capacity, open, partitionReaders };
}

test("a lost partition is kept for as long as a record of it is outstanding, and then forgotten", async () => {
  const { capacity, open, partitionReaders } = newBench();
  partitionReaders.at(PARTITION)?.open();
  partitionReaders.at(PARTITION)?.offer(batchOf([record(0, 0), record(0, 1)]));
  partitionReaders.drop(partitionReaders.assigned);
  partitionReaders.assign([]);
  expect([partitionReaders.size, partitionReaders.at(PARTITION)]).toEqual([1, undefined]);
  for (const settle of open) settle({ produce: [] });
  expect([partitionReaders.size, capacity.outstanding.records]).toEqual([0, 0]);
  await capacity.empty();
});

test("only a partition of which something was read has anything to commit, and only while it is assigned", () => {
  const { partitionReaders } = newBench();
  expect(partitionReaders.positions()).toEqual([]);
  partitionReaders.at(PARTITION)?.offer(batchOf([record(0, 5)]));
  expect(partitionReaders.positions()).toEqual([{ ...PARTITION, offset: 5 }]);
  partitionReaders.assign([OTHER]);
  expect(partitionReaders.positions()).toEqual([]);
});
