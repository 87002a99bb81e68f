import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { DedupeWindow } from "#state";
import { recordedLog } from "#support/recorded-log";
import { call } from "./fixtures/calls.ts";
import { PartitionDedupe } from "./partition-dedupe.ts";

/** A window at 0 in front of a log that fails as often as it is told to; pauses last until the test ends them. */
function setup() {
  const pauses: { ms: number; end(): void }[] = [];
  const world = { failures: 0, asked: 0, reached: 0 };
  const silent = () => undefined;
  const { logger, lines } = recordedLog();
  const window: DedupeWindow = {
    unclearFor: () => undefined,
    contradicts: () => false,
    isGoodFor: () => true,
    goBackTo: () => undefined,
    clarify: () => undefined,
    note: () => "first",
    get reached() {
      return world.reached;
    },
    advanceTo(offset) {
      world.reached = offset;
    },
    unwritten: 0,
    flush: async () => undefined,
    close: async () => undefined,
  };
  const dedupe = new PartitionDedupe({
    partition: 3,
    directory: "windows/3",
    windowMs: 1_000,
    disk: { open: () => window, discard: silent },
    log: {
      committed: async () => 0,
      async bounds() {
        world.asked += 1;
        if (world.failures > 0) {
          world.failures -= 1;
          throw new Error("Kafka is away");
        }
        return { low: 0, high: 10 };
      },
      timeAt: async () => undefined,
      offsetAt: async () => 0,
      read: async () => undefined,
    },
    logger,
    host: {
      ...systemHost,
      delay(ms, signal) {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        signal?.addEventListener("abort", () => reject(new Error("revoked")));
        pauses.push({ ms, end: resolve });
        return promise;
      },
    },
    onDiskError: silent,
  });
  const heard: string[] = [];
  const record = { topic: "calls", partition: 3, offset: 5, key: null, value: null, timestampMs: 0 };
  dedupe.note(
    { ...record, decoded: call() },
    {
      use: (noted) => void heard.push(noted),
      fail: (error) => void heard.push(String(error)),
      giveBack: () => void heard.push("given back"),
    },
  );
  const turn = () => new Promise(setImmediate);
  return { dedupe, heard, lines, pauses, turn, world };
}

test("a call whose window cannot be brought up to it waits a second between two tries, and each is said", async () => {
  const { heard, lines, pauses, turn, world } = setup();
  world.failures = 2;
  await turn();
  expect([pauses.map(({ ms }) => ms), world.asked, heard]).toEqual([[1_000], 1, []]);
  expect(lines).toMatchObject([
    { level: "warn", facts: { partition: 3, offset: 5, err: new Error("Kafka is away") } },
  ]);
  pauses[0]?.end();
  await turn();
  expect([pauses.length, world.asked]).toEqual([2, 2]);
  pauses[1]?.end();
  await turn();
  expect([heard, lines.length]).toEqual([["first"], 2]);
});

test("a call whose partition is lost meanwhile is given back, and nothing is said or tried any more", async () => {
  const { dedupe, heard, lines, pauses, turn, world } = setup();
  world.failures = 9;
  await turn();
  await dedupe.close();
  await turn();
  expect([heard, pauses.length, lines.length, world.asked]).toEqual([["given back"], 1, 1, 1]);
});
