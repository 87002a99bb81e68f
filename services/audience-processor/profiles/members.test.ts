import { expect, test } from "@jest/globals";
import { profileEvent } from "#topics";
import { Bench, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { PartitionSizes } from "../sizes/partition-sizes.ts";

const enter = (userId: string) => callOf({ userId, event: "A", receivedAtMs: NOW_MS, timestampMs: NOW_MS });
const DELETION = profileEvent("delete", { deletedAtMs: NOW_MS });

async function setup() {
  const bench = await Bench.with(audienceOf("a", { event: "A" }));
  const members = new Map<string, number>();
  bench.sizes = new PartitionSizes({
    ...{ partition: 0, rows: [], batches: [], leastBatch: 0, end: 0, isCounted: () => true },
    nowMs: () => NOW_MS,
    onCounted: (id, count) => void members.set(id, count),
  });
  bench.newWorker();
  await bench.called(enter("u"));
  return { bench, members };
}

test("a member who is deleted is one less, however often that is given back and folded again", async () => {
  const { bench, members } = await setup();
  await bench.called(enter("v"));
  expect(members.get("a")).toBe(2);
  bench.store.isOurs = false;
  const offset = await bench.happened("u", DELETION);
  bench.store.isOurs = true;
  bench.again(offset);
  await bench.settled();
  expect(members.get("a")).toBe(1);
});

test("who enters and is deleted in one batch was no member", async () => {
  const { bench, members } = await setup();
  bench.call(enter("v"));
  await bench.happened("v", DELETION);
  expect(members.get("a")).toBe(1);
});
