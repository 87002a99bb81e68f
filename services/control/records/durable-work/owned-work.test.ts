// Owned work on a simulated Kafka: what becomes of it when the version before, which has a group for each kind of work, is replaced.
import { describe, expect, test } from "@jest/globals";
import type { Runner } from "#kafka";
import { quietProcess } from "../../../../test/simulation/world/fixtures/quiet-process.ts";
import { type QuietWorld, startWorld } from "../../../../test/simulation/world/fixtures/quiet-world.ts";
import { createOwnedWork, ownsFirst } from "./owned-work.ts";

const BOUNDS = { maxOutstandingRecords: 10, maxOutstandingBytes: 1e6 };

function setup() {
  const quiet = startWorld({ processes: [], destinations: [] });
  const stepped: string[] = [];
  const { operationalEvents, replays } = quiet.world.topics;
  const write = (key: string) => quiet.writeRaw(operationalEvents.name, key, Buffer.from("{}"));
  const pass = (ms: number) => quiet.until(quiet.world.time.nowMs + ms);
  return { ...quiet, operationalEvents, pass, replays, stepped, write };
}

type Setup = ReturnType<typeof setup>;

const shareOf = (process: string, topic: string, stepped: string[]) => ({
  ...BOUNDS,
  topics: [topic],
  decode: ({ key }: { readonly key: string | null }) => key ?? "",
  step({ decoded }: { readonly decoded: string }, settle: (outcome: { produce: [] }) => void) {
    stepped.push(`${process} ${decoded}`);
    if (!decoded.startsWith("open")) settle({ produce: [] });
  },
  deadLetter: () => [],
});

/** A process of the version before. */
function processBefore({ operationalEvents, stepped, ...quiet }: Setup, name: string): Runner {
  const { kafka } = quietProcess(quiet as QuietWorld, name);
  const runner = kafka.runner({
    ...shareOf(name, operationalEvents.name, stepped),
    groupId: "control-events",
    producer: kafka.producer(),
  });
  void runner.start();
  return runner;
}

function now({ operationalEvents, replays, stepped, ...quiet }: Setup, name: string) {
  const { kafka, lifecycle, topics } = quietProcess(quiet as QuietWorld, name);
  const work = createOwnedWork({ lifecycle, settings: { topics: { prefix: "" } } }, { kafka, topics });
  work.add(shareOf(name, operationalEvents.name, stepped));
  work.add({ ...shareOf(name, replays.name, stepped), end: async () => void stepped.push(`${name} ends`) });
  work.start();
  return { lifecycle, work };
}

describe("the work that has one owner", () => {
  test("is the version's before while one of its processes is there, and goes on behind what these have done", async () => {
    const world = setup();
    const old = processBefore(world, "old-1");
    await world.pass(5_000);
    now(world, "control-1");
    world.write("a");
    await world.pass(10_000);
    world.write("b");
    await world.pass(2_000);
    expect(world.stepped).toEqual(["old-1 a", "old-1 b"]);
    const [line] = world.world.logs.lines.filter(({ level }) => level === "warn");
    expect(line).toMatchObject({ facts: { groupId: "control", members: 1 } });
    void old.stop(0);
    world.write("c");
    await world.pass(15_000);
    world.write("d");
    await world.pass(2_000);
    const since = world.stepped.slice(2);
    expect(since.toSorted()).toEqual(["control-1 c", "control-1 d"]);
  });

  test("that one of them was killed over is worked on again, once its group has missed it", async () => {
    const world = setup();
    processBefore(world, "old-1");
    await world.pass(10_000);
    world.write("a");
    world.write("open");
    await world.pass(1_000);
    world.world.cluster.cut("old-1");
    now(world, "control-1");
    await world.pass(30_000);
    expect(world.stepped.toSorted()).toEqual(["control-1 open", "old-1 a", "old-1 open"]);
  });

  test("is shared by the processes of this version, and a stop ends it before it leaves", async () => {
    const world = setup();
    const [one, other] = [now(world, "control-1"), now(world, "control-2")];
    await world.pass(15_000);
    const firstOf = ({ work }: typeof one) => ownsFirst(work, world.operationalEvents)();
    expect([firstOf(one), firstOf(other)].toSorted()).toEqual([false, true]);
    expect([one, other].map(({ work }) => work.assigned.length)).toEqual([2, 2]);
    void one.lifecycle.stop();
    await world.pass(15_000);
    expect(world.stepped).toEqual(["control-1 ends"]);
    expect([one, other].map(({ work }) => work.assigned.length)).toEqual([0, 4]);
  });
});
