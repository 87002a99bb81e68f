// Tests how one pass follows another, and makes way.
import { expect, test } from "@jest/globals";
import type { Settle } from "#kafka";
import type { Logger } from "#runtime";
import { endpointOf, logOf, partsOf } from "../fixtures/pass.ts";
import { createWaker } from "./waker.ts";

const ENDPOINT = endpointOf("a");
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

/** Jobs of these destinations wait, and end when the test says so; no delay is over by itself. */
function waking(destinationIds: readonly string[], room: () => number = () => 1) {
  const lines: unknown[] = [];
  const say = (facts: object, message: string) => void lines.push([facts, message]);
  const settles = new Map<string, Settle>();
  const timers: (() => void)[] = [];
  const delays: { readonly ms: number; readonly resolve: () => void }[] = [];
  const host = {
    setTimeout(work: () => void) {
      timers.push(work);
      return { clear: () => undefined };
    },
    delay: (ms: number) => new Promise<void>((resolve) => void delays.push({ ms, resolve })),
  };
  const parts = partsOf({
    log: logOf(destinationIds),
    host,
    room,
    step: ({ decoded }, settle) => void settles.set(decoded.destinationId, settle),
  });
  const looks = { count: 0, failing: undefined as Error | undefined };
  const offsets: typeof parts.offsets = async (topic) => {
    looks.count += 1;
    if (looks.failing !== undefined) throw looks.failing;
    return parts.offsets(topic);
  };
  const logger = { info: say, warn: say } as unknown as Logger;
  const waker = createWaker({ ...parts, offsets, logger, woken: () => undefined });
  const deliver = async (destinationId: string) => {
    settles.get(destinationId)?.({ produce: [] });
    await turns();
  };
  return { deliver, delays, lines, looks, settles, timers, waker };
}

test("a pass that fails is logged and tried again, so that nobody has to ask for what waits once more", async () => {
  const { delays, lines, looks, settles, waker } = waking(["a"]);
  looks.failing = new Error("the broker is away");
  waker.recovered(ENDPOINT);
  await turns();
  const line = [{ err: looks.failing }, "waiting calls could not be woken; it is tried again"];
  expect([lines, settles.size, delays.map(({ ms }) => ms)]).toEqual([[line], 0, [2_000]]);
  looks.failing = undefined;
  delays[0]?.resolve();
  await turns();
  expect(settles.size).toBe(1);
});

test("a pass that took something is logged, and followed by another half a second later", async () => {
  const { deliver, delays, lines, looks, waker } = waking(["a"]);
  waker.recovered(ENDPOINT);
  await turns();
  await deliver("a");
  expect(lines).toEqual([[{ taken: 1, returned: 0, endpoints: 1 }, "waiting calls were woken"]]);
  expect([looks.count, delays.map(({ ms }) => ms)]).toEqual([1, [500]]);
  delays[0]?.resolve();
  await turns();
  expect([looks.count, lines.length]).toEqual([2, 1]);
});

test("a pass whose time is over before there was room for any call is followed by another", async () => {
  const { delays, looks, timers, waker } = waking(["a"], () => 0);
  waker.recovered(ENDPOINT);
  await turns();
  for (const work of timers.splice(0)) work();
  await turns();
  expect([looks.count, delays.map(({ ms }) => ms)]).toEqual([1, [500]]);
  delays[0]?.resolve();
  await turns();
  expect(looks.count).toBe(2);
});

test("a pass makes way when another endpoint waits, and its own is looked for again with that one", async () => {
  const ids = ["a", "b", "c", "d", "e"];
  const { deliver, delays, lines, looks, settles, waker } = waking(ids);
  for (const id of ids) {
    waker.recovered(endpointOf(id));
    await turns();
  }
  expect([...settles.keys()]).toEqual(["a", "b", "c", "d"]);
  await deliver("a");
  expect([...settles.keys()]).toEqual(ids);
  expect([looks.count, delays.length]).toEqual([5, 0]);
  // The pass for the one that waited takes along the one that made way.
  await deliver("e");
  expect(lines.at(-1)).toEqual([{ taken: 1, returned: 0, endpoints: 2 }, "waiting calls were woken"]);
});
