import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { PartitionOffsets } from "#kafka";
import { TOPICS } from "../fixtures/bench.ts";
import { followTide, type Tide } from "./watermark.ts";

const { calls, profileEvents } = TOPICS;

interface World {
  callsEnd: number;
  eventsEnd: number;
  keyed: number;
  isNeeded: boolean;
  readonly asked: string[];
  readonly tides: Tide[];
}

/** Lets the time of `steps` delays pass; before each of them `work` is called with its number. */
async function follow(
  world: World,
  steps: number,
  work: (step: number) => void = () => undefined,
): Promise<void> {
  const ending = new AbortController();
  let [nowMs, step] = [0, 0];
  const endsOf = (high: number): PartitionOffsets[] => [{ partition: 0, low: 0, high }];
  await followTide({
    admin: {
      async offsets(topic) {
        world.asked.push(topic === calls.name ? "calls" : "events");
        return endsOf(topic === calls.name ? world.callsEnd : world.eventsEnd);
      },
      async committedOffsets() {
        world.asked.push("commits");
        return new Map([[0, world.keyed]]);
      },
    },
    topics: { calls, profileEvents },
    keyingGroup: "keying",
    host: {
      now: () => nowMs,
      async delay(delayMs) {
        nowMs += delayMs;
        work(step);
        step += 1;
        if (step === steps) ending.abort();
        await new Promise<void>((resolve) => void systemHost.setImmediate(resolve));
      },
    },
    signal: ending.signal,
    isNeeded: () => world.isNeeded,
    onTide: (tide) => world.tides.push(tide),
    onError: (error) => {
      throw error;
    },
  });
}

const newWorld = (): World => ({
  callsEnd: 5,
  eventsEnd: 7,
  keyed: 5,
  isNeeded: true,
  asked: [],
  tides: [],
});

test("calls that wait to be keyed hold the tide back until they are", async () => {
  const world = { ...newWorld(), keyed: 4 };
  const tidesBefore: number[] = [];
  await follow(world, 3, (step) => {
    tidesBefore.push(world.tides.length);
    if (step === 1) Object.assign(world, { keyed: 5, eventsEnd: 8 });
  });
  expect(tidesBefore).toEqual([0, 0, 1]);
  expect(world.tides[0]).toEqual({ atMs: 0, ends: new Map([[0, 8]]) });
});

test("where no call has come since the last look, time goes on behind what control has written", async () => {
  const world = newWorld();
  await follow(world, 2, () => Object.assign(world, { eventsEnd: 8 }));
  expect(world.asked).toEqual(["calls", "commits", "events", "calls", "events"]);
  expect(world.tides).toEqual([
    { atMs: 0, ends: new Map([[0, 7]]) },
    { atMs: 1_000, ends: new Map([[0, 8]]) },
  ]);
});

test("calls that have come since are waited for again", async () => {
  const world = newWorld();
  await follow(world, 2, (step) => {
    if (step === 0) Object.assign(world, { callsEnd: 6, keyed: 6, eventsEnd: 9 });
  });
  expect(world.tides.at(-1)).toEqual({ atMs: 1_000, ends: new Map([[0, 9]]) });
});

test("while nothing ends by the passing of time it looks every ten seconds, and at once when something does", async () => {
  const world = { ...newWorld(), isNeeded: false };
  await follow(world, 12, (step) => {
    if (step === 10) world.isNeeded = true;
  });
  expect(world.tides.map(({ atMs }) => atMs)).toEqual([0, 10_000, 11_000]);
});
