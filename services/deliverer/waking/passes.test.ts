// Tests how one pass follows another, and makes way.
import { expect, test } from "@jest/globals";
import type { Settle } from "#kafka";
import { endpointOf, logOf, type PassBench, partsOf, wakerOf } from "../fixtures/pass.ts";

const ENDPOINT = endpointOf("a");
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

type Limits = Pick<PassBench, "room" | "hasTurn"> & { readonly elapsed?: () => number };

/** Jobs of these destinations wait, and end when the test says so; no delay is over by itself. */
function waking(destinationIds: readonly string[], limits: Limits = {}) {
  const settles = new Map<string, Settle>();
  const timers: (() => void)[] = [];
  const delays: { readonly ms: number; readonly resolve: () => void }[] = [];
  const host = {
    elapsed: limits.elapsed ?? (() => 0),
    setTimeout(work: () => void) {
      timers.push(work);
      return { clear: () => undefined };
    },
    delay: (ms: number) => new Promise<void>((resolve) => void delays.push({ ms, resolve })),
  };
  const parts = partsOf({
    log: logOf(destinationIds),
    host,
    ...limits,
    step: ({ decoded }, settle) => void settles.set(decoded.destinationId, settle),
  });
  const kafka = { failing: undefined as Error | undefined };
  const offsets: typeof parts.offsets = async (topic) => {
    if (kafka.failing !== undefined) throw kafka.failing;
    return parts.offsets(topic);
  };
  const { lines, looks, waker } = wakerOf({ ...parts, offsets });
  const deliver = async (destinationId: string) => {
    settles.get(destinationId)?.({ produce: [] });
    await turns();
  };
  return { deliver, delays, kafka, lines, looks, settles, timers, waker };
}

test("a pass that fails is logged and tried again, so that nobody has to ask for what waits once more", async () => {
  const { delays, kafka, lines, settles, waker } = waking(["a"]);
  kafka.failing = new Error("the broker is away");
  waker.recovered(ENDPOINT);
  await turns();
  const message = "waiting calls could not be woken; it is tried again";
  expect(lines).toEqual([{ level: "warn", facts: { err: kafka.failing }, message }]);
  expect([settles.size, delays.map(({ ms }) => ms)]).toEqual([0, [2_000]]);
  kafka.failing = undefined;
  delays[0]?.resolve();
  await turns();
  expect(settles.size).toBe(1);
});

test("a pass that took something is logged, and followed by another half a second later", async () => {
  const { deliver, delays, lines, looks, waker } = waking(["a"]);
  waker.recovered(ENDPOINT);
  await turns();
  await deliver("a");
  const facts = { taken: 1, returned: 0, endpoints: 1 };
  expect(lines).toEqual([{ level: "info", facts, message: "waiting calls were woken" }]);
  expect([looks(), delays.map(({ ms }) => ms)]).toEqual([1, [500]]);
  delays[0]?.resolve();
  await turns();
  expect([looks(), lines.length]).toEqual([2, 1]);
});

test("a pass whose time is over before there was room for any call is followed by another", async () => {
  const { delays, looks, timers, waker } = waking(["a"], { room: () => 0 });
  waker.recovered(ENDPOINT);
  await turns();
  for (const work of timers.splice(0)) work();
  await turns();
  expect([looks(), delays.map(({ ms }) => ms)]).toEqual([1, [500]]);
  delays[0]?.resolve();
  await turns();
  expect(looks()).toBe(2);
});

test("a pass that found every turn at a destination's own limits taken rests, and is followed by another", async () => {
  let hasTurn = false;
  const { delays, looks, settles, waker } = waking(["a"], { hasTurn: () => hasTurn });
  waker.found(ENDPOINT);
  await turns();
  delays[0]?.resolve();
  await turns();
  expect([looks(), settles.size, delays.map(({ ms }) => ms)]).toEqual([1, 0, [2_000, 500]]);
  hasTurn = true;
  delays[1]?.resolve();
  await turns();
  expect([looks(), settles.size]).toEqual([2, 1]);
});

test.each([
  { title: "took what had turns", takes: 1, delaysMs: [2_300, 500] },
  { title: "took none in its time", takes: 0, delaysMs: [2_800, 500] },
])(
  "a pass at a destination's own limits that $title rests by how long it read",
  async ({ delaysMs, takes }) => {
    let nowMs = 0;
    let left = takes;
    const room = () => {
      nowMs += 60_000;
      return 1;
    };
    const hasTurn = () => {
      nowMs += 700 / (takes + 1);
      if (takes === 0) for (const work of timers.splice(0)) work();
      return left-- > 0;
    };
    const { deliver, delays, timers, waker } = waking(["a", "a"], { elapsed: () => nowMs, hasTurn, room });
    waker.found(ENDPOINT);
    await turns();
    if (takes > 0) await deliver("a");
    delays[0]?.resolve();
    await turns();
    expect(delays.map(({ ms }) => ms)).toEqual(delaysMs);
  },
);

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
  expect([looks(), delays.length]).toEqual([5, 0]);
  // The pass for the one that waited takes along the one that made way.
  await deliver("e");
  expect(lines.at(-1)?.facts).toEqual({ taken: 1, returned: 0, endpoints: 2 });
});
