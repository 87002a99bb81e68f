import { expect, test } from "@jest/globals";
import { Bench, NO_SIZES, NOW_MS } from "../fixtures/bench.ts";
import { audienceOf, callOf } from "../fixtures/calls.ts";
import { MemoryStore } from "../fixtures/memory-store.ts";
import type { Taken } from "../sizes/sizes.ts";
import type { PartitionWorker } from "./partition-worker.ts";
import { ProfilePartitions } from "./profile-partitions.ts";

const USERS = 100;

/** So many partitions of one process, with room in memory for the profiles of one of them; each is as the bench's. */
async function processWith(
  partitions: number,
  {
    opened = async (): Promise<void> => undefined,
    refresh = async (): Promise<void> => undefined,
    closed = (): void | Promise<void> => undefined,
    openSizes = async (_: Taken) => NO_SIZES,
    generation = 1,
  } = {},
) {
  const bench = await Bench.with(audienceOf("recent", { event: "A", within: "60s" }));
  const read = { profiles: 0 };
  const workers: PartitionWorker[] = [];
  const parts = bench.parts();
  const { codec } = parts;
  const counting: typeof codec = {
    ...codec,
    read(id, value) {
      read.profiles += 1;
      return codec.read(id, value);
    },
  };
  const owned = new ProfilePartitions({
    directory: "",
    async openStore() {
      await opened();
      const store = new MemoryStore();
      return Object.assign(store, {
        own: async () => undefined,
        refresh,
        flush: async () => undefined,
        async close() {
          Object.defineProperty(store, "count", {
            get() {
              throw new Error("closed");
            },
          });
          await closed();
        },
      });
    },
    store: {
      kafka: { readRange: async () => undefined },
      admin: { offsets: async () => [] },
      topic: "profiles",
      describe: codec.describe,
      now: () => bench.nowMs,
      onDiscarded: () => undefined,
      onPoison: () => undefined,
    },
    roomBytes: 4_096 * USERS,
    openSizes,
    prepare: async () => undefined,
    begin(_partition, _signal, workOn) {
      workers.push(workOn({ ...parts, codec: counting }));
      return { advance: () => undefined };
    },
    send: async () => undefined,
    ownership: () => ({ isOurs: true }),
    generation: () => generation,
    position: () => undefined,
    committed: async () => 0,
    onRestored: () => undefined,
    onRevoked: () => undefined,
    turnTime: parts.turnTime,
    onFailed: (error) => void bench.failures.push(error),
  });
  for (let partition = 0; partition < partitions; partition += 1) await owned.open({ partition });
  return { bench, owned, read, workers };
}

/** All users come once each, a few at a time. */
async function roundOf(bench: Bench, worker: PartitionWorker | undefined, prefix = "u"): Promise<void> {
  if (worker !== undefined) bench.worker = worker;
  for (let n = 0; n < USERS; n += 1) {
    bench.call(callOf({ userId: `${prefix}${n}`, event: "A", receivedAtMs: NOW_MS, timestampMs: NOW_MS }));
    if (n % 10 === 0) await bench.settled();
  }
  await bench.settled();
}

test.each([
  [1, "all of it, and reads no profile again", true],
  [12, "its share of it, and reads those again that have no place", false],
])("of the memory for profiles each of %i partitions takes %s", async (partitions, _, isEnough) => {
  const { bench, owned, read, workers } = await processWith(partitions);
  const [worker] = workers;
  for (let round = 0; round < 3; round += 1) await roundOf(bench, worker);
  read.profiles = 0;
  await roundOf(bench, worker);
  expect([read.profiles === 0, bench.failures]).toEqual([isEnough, []]);
  await owned.close();
});

test("windows have ended once all that were due are on their way, not as soon as time has come so far", async () => {
  const { bench, owned, workers } = await processWith(1);
  for (let round = 0; round < 3; round += 1) await roundOf(bench, workers[0], `${round}-`);
  expect(owned.endedUntilMs).toBe(NOW_MS);
  owned.tide({ atMs: NOW_MS + 60_000, ends: new Map() });
  expect(owned.endedUntilMs).toBe(NOW_MS);
  await bench.settled();
  expect(owned.endedUntilMs).toBe(NOW_MS + 60_000);
  await owned.close();
});

test("all partitions ask at once where the changelog ends, so that it is one request", async () => {
  const asked = Promise.withResolvers<void>();
  let asking = 0;
  const refresh = () => {
    asking += 1;
    return asked.promise;
  };
  const { owned } = await processWith(3, { refresh });
  const refreshed = owned.refresh();
  expect(asking).toBe(3);
  asked.resolve();
  await refreshed;
  await owned.close();
});

test("a partition that is lost while its store is opened, and comes back, opens it once the first one is closed", async () => {
  const happened: string[] = [];
  const turns = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let openings = 0;
  const { bench, owned } = await processWith(0, {
    async opened() {
      const turn = turns[openings];
      openings += 1;
      happened.push("opens");
      await turn?.promise;
    },
    closed: () => void happened.push("closed"),
  });
  const first = owned.open({ partition: 0 });
  await bench.settled();
  owned.revoked([{ partition: 0 }]);
  const second = owned.open({ partition: 0 });
  await bench.settled();
  expect(happened).toEqual(["opens"]);
  for (const { resolve } of turns) resolve();
  await Promise.all([first, second]);
  expect(happened).toEqual(["opens", "closed", "opens"]);
  await owned.close();
});

test("a partition that comes, goes and comes again while its first store closes, opens none before that is closed", async () => {
  const happened: string[] = [];
  const closing = Promise.withResolvers<void>();
  const { bench, owned } = await processWith(0, {
    opened: async () => void happened.push("opens"),
    async closed() {
      await closing.promise;
      happened.push("closed");
    },
  });
  await owned.open({ partition: 0 });
  const opening: Promise<void>[] = [];
  for (let round = 0; round < 2; round += 1) {
    owned.revoked([{ partition: 0 }]);
    await bench.settled();
    opening.push(owned.open({ partition: 0 }));
  }
  await bench.settled();
  expect(happened).toEqual(["opens"]);
  closing.resolve();
  await Promise.all(opening);
  expect(happened).toEqual(["opens", "closed", "opens"]);
  await owned.close();
});

test("profiles are counted while a partition that could not be opened waits for its next try", async () => {
  const { owned } = await processWith(0, { openSizes: () => Promise.reject(new Error("no answer")) });
  await expect(owned.open({ partition: 0 })).rejects.toThrow("no answer");
  expect(owned.profiles).toBe(0);
  await owned.close();
});

test("an owner has higher versions than the one before it that began at the same end of the changelog", async () => {
  const least: number[] = [];
  const openSizes = async ({ leastVersion }: Taken) => {
    least.push(leastVersion);
    return NO_SIZES;
  };
  for (const generation of [4, 5]) await (await processWith(1, { generation, openSizes })).owned.close();
  expect(least).toEqual([4, 5]);
});
