// Replays on a simulated Kafka: how the parts are put together, and what two processes make of it.
import { describe, expect, test } from "@jest/globals";
import { deadLetter, destination } from "#support/records";
import { EPOCH_MS } from "#testing/host";
import type { DeadLetter, Replay } from "#topics";
import { quietProcess } from "../../../../test/simulation/world/fixtures/quiet-process.ts";
import { type QuietWorld, startWorld } from "../../../../test/simulation/world/fixtures/quiet-world.ts";
import { createOwnedWork } from "../../records/durable-work/owned-work.ts";
import { placeOf } from "../../records/places/places.ts";
import { replay } from "../../records/replays/fixtures/replay.ts";
import { createReplayStore } from "../../records/replays/store.ts";
import { openReplays } from "./open.ts";

const PLACES = Array.from({ length: 40 }, (_, offset) => placeOf({ partition: 0, offset }));

/** One control process's share: replays of forty dead letters. */
function process(quiet: QuietWorld, name: string) {
  const { host, kafka, lifecycle, logger, metrics, serde, topics } = quietProcess(quiet, name);
  const table = kafka.table<Replay>({
    topic: topics.replays.name,
    decode: ({ value }) => serde.decode(topics.replays, value),
  });
  const producer = kafka.producer();
  const store = createReplayStore({ topic: topics.replays, table, producer, serde });
  const known = { isRead: false };
  const open = async (): Promise<void> => {
    await serde.start();
    const ownedWork = createOwnedWork({ lifecycle, settings: { topics: { prefix: "" } } }, { kafka, topics });
    openReplays(
      { lifecycle, logger, metrics, host, nowMs: () => host.now() },
      {
        kafka,
        serde,
        topics,
        ownedWork,
        store,
        deliveries: {
          index: {
            findDeadLetter: () => undefined,
            replayablePlaces: (_: object, { above, limit }: { above: number; limit: number }) =>
              PLACES.filter((place) => place > above).slice(0, limit),
          } as never,
          progress: { untilCovers: async () => true } as never,
        },
        candidates: {
          deletedUsers: { isOfDeleted: () => false },
          destination: () => (known.isRead ? destination({ maxInFlight: 1 }) : undefined),
        } as never,
        deadLetters: {
          read: async (places) =>
            new Map(places.map((place): [number, DeadLetter] => [place, deadLetter({ id: `${place}` })])),
        },
        destinations: { refresh: async () => void Object.assign(known, { isRead: true }) },
        deletedUsers: {
          refresh: async () => undefined,
          isOfDeleted: () => false,
          mayBeOfDeleted: () => false,
          mayNameDeleted: () => false,
        },
      },
    );
    ownedWork.start();
  };
  void open();
  const running = () => metrics.value("control_replays_running");
  return { host, lifecycle, metrics, running, store };
}

function setup() {
  const quiet = startWorld({ processes: [], destinations: [] });
  const written = () => quiet.world.cluster.records(quiet.world.topics.deliveryJobs.name).flat();
  const jobs = () => written().length;
  const settled = () => {
    const { name } = quiet.world.topics.replays;
    const committed = quiet.world.cluster.committed("control", name);
    return quiet.world.cluster
      .bounds(name)
      .every(({ high }, partition) => (committed.get(partition) ?? 0) === high);
  };
  return { ...quiet, jobs, settled, written, start: (name: string) => process(quiet, name) };
}

describe("replays of a process", () => {
  test("are worked on from their record to their end, by what their destination is now, and counted", async () => {
    const { jobs, settled, start, until, written } = setup();
    const { metrics, running, store } = start("control-1");
    await until(5_000);
    expect(running()).toBe(0);
    void store.put(replay({ callsPerSecond: 8, createdAtMs: EPOCH_MS, updatedAtMs: EPOCH_MS }));
    await until(7_000);
    expect(running()).toBe(1);
    expect(settled()).toBe(false);
    expect(jobs()).toBeGreaterThan(0);
    expect(jobs()).toBeLessThan(40);
    await until(20_000);
    expect([jobs(), running(), metrics.total("control_replayed_calls_total")]).toEqual([40, 0, 40]);
    expect(store.get("rpl_1")).toMatchObject({ state: "finished", replayed: 40 });
    expect(settled()).toBe(true);
    // It has a single shard since its letters died.
    expect(new Set(written().map(({ key }) => key))).toEqual(new Set(["d1:0"]));
  });

  test("go on in the other process when theirs stops, from where it came to", async () => {
    const { jobs, start, until } = setup();
    const [one, other] = [start("control-1"), start("control-2")];
    await until(10_000);
    void one.store.put(replay({ callsPerSecond: 4, createdAtMs: EPOCH_MS, updatedAtMs: EPOCH_MS }));
    await until(14_000);
    expect([one.running(), other.running()].sort()).toEqual([0, 1]);
    const owner = one.running() === 1 ? one : other;
    const next = owner === one ? other : one;
    let status: number | undefined;
    void owner.lifecycle.stop().then((given) => {
      status = given;
    });
    await until(40_000);
    expect(status).toBe(0);
    expect([jobs(), next.store.get("rpl_1")?.state]).toEqual([40, "finished"]);
  });

  test("have one owner at a time: who is not heard lets go of them before another one goes on", async () => {
    const { jobs, start, until, world } = setup();
    const [one, other] = [start("control-1"), start("control-2")];
    await until(10_000);
    void one.store.put(replay({ callsPerSecond: 2, createdAtMs: EPOCH_MS, updatedAtMs: EPOCH_MS }));
    await until(12_000);
    const [owner, next] =
      one.running() === 1 ? (["control-1", other] as const) : (["control-2", one] as const);
    // A commit tells the group that a member is there, too.
    for (const what of ["group", "commit"] as const) {
      const lost = { id: what, atMs: 12_000, forMs: 48_000, how: "lost", share: 1, only: owner } as const;
      world.requestFaults.begin({ kind: "requests", what, ...lost });
    }
    await until(60_000);
    expect([jobs(), next.store.get("rpl_1")?.state]).toEqual([40, "finished"]);
  });

  test("are written once more as they ended, and not run, where a process that was cut off says behind their end that they run", async () => {
    const { jobs, settled, start, until, world } = setup();
    const { store } = start("control-1");
    await until(5_000);
    const asked = replay({ callsPerSecond: 40, createdAtMs: EPOCH_MS, updatedAtMs: EPOCH_MS });
    void store.put(asked);
    await until(10_000);
    expect([jobs(), store.get("rpl_1")?.state]).toEqual([40, "finished"]);
    void store.put({ ...asked, replayed: 3, cursor: "0:2" });
    await until(20_000);
    const { name } = world.topics.replays;
    const values = world.cluster.records(name).flat();
    expect([jobs(), store.get("rpl_1")?.state, store.isAsWritten("rpl_1")]).toEqual([40, "finished", true]);
    expect(values.at(-1)?.value).toEqual(values.at(-3)?.value);
    expect(settled()).toBe(true);
  });

  test("that cannot be read are said and passed over", async () => {
    const { settled, start, until, world, writeRaw } = setup();
    const { store } = start("control-1");
    await until(5_000);
    writeRaw(world.topics.replays.name, "bad", Buffer.from("junk"));
    void store.remove(["gone"]);
    await until(10_000);
    const [line] = world.logs.lines.filter(({ message }) => message === "a replay cannot be read");
    expect(line).toMatchObject({ level: "error", facts: { replayId: "bad" } });
    expect(settled()).toBe(true);
  });

  test("that have ended are forgotten in the end", async () => {
    const { start, until } = setup();
    const { store } = start("control-1");
    await until(5_000);
    void store.put(replay({ callsPerSecond: 40, createdAtMs: EPOCH_MS, updatedAtMs: EPOCH_MS }));
    void store.put(replay({ id: "rpl_old", state: "finished", updatedAtMs: 1 }));
    await until(10_000);
    expect(store.list()).toHaveLength(2);
    await until(3_610_000);
    expect(store.list().map(({ id }) => id)).toEqual(["rpl_1"]);
  });
});

test("a replay whose process hears nothing of Kafka for a while is finished afterwards", async () => {
  const { jobs, start, until, world } = setup();
  const { store } = start("control-1");
  await until(5_000);
  void store.put(
    replay({ ids: ["j1"], callsPerSecond: 8, createdAtMs: EPOCH_MS, updatedAtMs: EPOCH_MS, cursor: "0:5" }),
  );
  world.cluster.cut("control-1");
  await until(30_000);
  world.cluster.heal("control-1");
  await until(60_000);
  expect(jobs()).toBe(0);
  expect(store.get("rpl_1")?.state).toBe("finished");
});
