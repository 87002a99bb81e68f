import { beforeEach, describe, expect, test } from "@jest/globals";
import type { WindowFiles } from "#state";
import { SimulatedDisk } from "./disk.ts";
import { describeFiles } from "./files-conformance.ts";
import { inRealEvent } from "./host/real-event.ts";
import { VirtualHost } from "./host/virtual-host.ts";
import { VirtualTime } from "./host/virtual-time.ts";
import { Random } from "./random.ts";

let time: VirtualTime;
let disk: SimulatedDisk;

beforeEach(() => {
  time = new VirtualTime();
  disk = new SimulatedDisk(time, new Random(1));
});

const pass = (ms: number): Promise<unknown> => inRealEvent(() => time.runUntil(time.nowMs + ms));

async function settled<T>(promise: Promise<T>): Promise<T> {
  await pass(100);
  return promise;
}

function open(host = new VirtualHost({ time, random: new Random(2) })): WindowFiles {
  return disk.stores(host).open({ directory: "d", onDiscarded: () => undefined, use: (files) => files });
}

describe("the simulated disk's files", () => {
  describeFiles(() => ({ open, settled }));
});

const KEY = Buffer.from("key");

/** Writes 0 to 9 to one key, a batch each. */
async function writeTen(files: WindowFiles): Promise<void> {
  for (let n = 0; n < 10; n += 1)
    await settled(files.batch(() => void files.table("t").put(KEY, Buffer.of(n))));
}

describe("when the power fails", () => {
  test("what was written a second ago stays, and of the rest the newest batches may be gone", async () => {
    const left = new Set<number | undefined>();
    for (let seed = 1; seed <= 40; seed += 1) {
      disk = new SimulatedDisk(time, new Random(seed));
      const files = open();
      await settled(files.batch(() => void files.table("t").put(KEY, Buffer.of(255))));
      await pass(1_000);
      await writeTen(files);
      disk.loseUnflushed();
      left.add(files.table("t").getBinary(KEY)?.[0]);
    }
    expect(left.has(undefined)).toBe(false);
    expect(left.has(255)).toBe(true);
    expect(left.has(9)).toBe(true);
    expect(left.size).toBeGreaterThan(5);
  });

  test("a batch is there whole or not at all", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      disk = new SimulatedDisk(time, new Random(seed));
      const files = open();
      const [one, other] = [files.table("one"), files.table("other")];
      for (let n = 0; n < 5; n += 1)
        await settled(
          files.batch(() => {
            void one.put(KEY, Buffer.of(n));
            void other.put(KEY, Buffer.of(n));
          }),
        );
      disk.loseUnflushed();
      expect(one.getBinary(KEY)).toEqual(other.getBinary(KEY));
    }
  });

  test("a batch that was under way is gone, as those before it may be", async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      disk = new SimulatedDisk(time, new Random(seed));
      const host = new VirtualHost({ time, random: new Random(2) });
      const files = open(host);
      const [one, other] = [files.table("one"), files.table("other")];
      await settled(files.batch(() => void one.put(KEY, Buffer.of(1))));
      void files.batch(() => void other.put(KEY, Buffer.of(2)));
      host.kill();
      disk.loseUnflushed();
      await pass(100);
      expect(other.getBinary(KEY)).toBeUndefined();
    }
  });
});
