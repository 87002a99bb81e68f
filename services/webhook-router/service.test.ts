// The whole service in a simulated world: how its parts are put together.
import { describe, expect, test } from "@jest/globals";
import { EPOCH_MS } from "#testing/host";
import { callsFrom, startWorld } from "../../test/simulation/world/fixtures/quiet-world.ts";

const NAME = "webhook-router-1";

const idsOf = (calls: readonly { readonly messageId: string }[]) => calls.map(({ messageId }) => messageId);

function setup(...[changes]: Parameters<typeof startWorld>) {
  const quiet = startWorld(changes);
  const { fleet, world } = quiet;
  const counted = (outcome: string) => fleet.get(NAME)?.meters.total("router_calls_total", { outcome });
  const shown = (gauge: string) => fleet.get(NAME)?.meters.value(gauge);
  const said = (message: string) => world.logs.lines.filter((line) => line.message.includes(message));
  return { ...quiet, counted, said, shown, topic: world.topics.calls.name };
}

const everyCommit = ({ world }: Pick<ReturnType<typeof startWorld>, "world">, topic: string) =>
  world.cluster
    .bounds(topic)
    .every(({ high }, partition) => world.cluster.committed("webhook-router", topic).get(partition) === high);

describe("the router", () => {
  test("makes jobs of calls, drops their copies, and commits what is through", async () => {
    const calls = callsFrom(5_000, 40).map((call, index) => ({
      ...call,
      againAfterMs: index < 10 ? 5_000 : undefined,
    }));
    const { counted, delivered, fleet, shown, topic, until, world } = setup({ calls });
    await until(30_000);
    expect(delivered().sort()).toEqual(idsOf(calls).sort());
    expect([counted("routed"), counted("duplicate")]).toEqual([40, 10]);
    expect(fleet.get(NAME)?.meters.total("router_jobs_total")).toBe(40);
    expect(fleet.get(NAME)?.meters.total("router_rebalances_total")).toBe(1);
    expect(everyCommit({ world }, topic)).toBe(true);
    const gauges = ["router_assigned_partitions", "router_outstanding_calls", "router_opening_windows"];
    expect([...gauges, "router_lag_calls"].map(shown)).toEqual([2, 0, 0, 0]);
    const table = { table: "destination-config" };
    const lastRecordAtS = fleet.get(NAME)?.meters.value("table_last_record_timestamp_seconds", table);
    expect(lastRecordAtS).toBeGreaterThan(EPOCH_MS / 1_000);
  });

  test("drops calls of a source without a destination, and counts them", async () => {
    const { counted, delivered, until } = setup({ calls: callsFrom(5_000, 12), destinations: [] });
    await until(15_000);
    expect([counted("no_destination"), counted("routed"), delivered()]).toEqual([12, 0, []]);
  });

  test("drops calls whose type no destination takes", async () => {
    const [destination] = startWorld().world.plan.destinations;
    const destinations = destination === undefined ? [] : [{ ...destination, callTypes: ["identify"] }];
    const { counted, until } = setup({ calls: callsFrom(5_000, 7), destinations });
    await until(15_000);
    expect(counted("call_type_off")).toBe(7);
  });

  test("makes a dead letter of a record that is no call, and goes on behind it", async () => {
    const { counted, delivered, fleet, said, topic, until, world, writeRaw } = setup({
      calls: callsFrom(6_000, 20),
    });
    await until(5_000);
    for (const key of ["a", "b", "c", "d"]) writeRaw(topic, key, Buffer.from("junk"));
    await until(20_000);
    expect([counted("undecodable"), counted("routed"), delivered().length]).toEqual([4, 20, 20]);
    const letters = world.cluster.records(world.topics.deadLetters.name).flat();
    expect(letters).toHaveLength(4);
    expect(fleet.get(NAME)?.meters.total("dead_letters_total", { reason: "undecodable" })).toBe(4);
    expect(said("went to the dead letters as it is").map(({ level }) => level)).toEqual(
      Array(4).fill("error"),
    );
    expect(everyCommit({ world }, topic)).toBe(true);
  });

  test("goes on with what a destination was when its new configuration cannot be read, and says so", async () => {
    const { delivered, said, until, world, writeRaw } = setup({ calls: callsFrom(6_000, 5) });
    await until(5_000);
    writeRaw(world.topics.destinationConfig.name, "destination", Buffer.from("junk"));
    await until(15_000);
    expect(delivered()).toHaveLength(5);
    const lines = said("its last readable version applies").filter(({ process }) => process === NAME);
    expect(lines).toMatchObject([{ level: "error", facts: { destinationId: "destination" } }]);
  });

  test("counts calls that were removed before it read them", async () => {
    const calls = [...callsFrom(5_000, 10), ...callsFrom(20_000, 30), ...callsFrom(40_000, 10)];
    const { delivered, fleet, topic, until, world } = setup({ calls });
    await until(15_000);
    fleet.stop(NAME);
    await until(30_000);
    for (const [partition, { high }] of world.cluster.bounds(topic).entries())
      world.cluster.removeBefore({ topic, partition }, high);
    fleet.startAgain(NAME);
    await until(60_000);
    expect(fleet.get(NAME)?.meters.total("records_lost_total", { topic })).toBe(30);
    expect(delivered().slice(10).sort()).toEqual(idsOf(callsFrom(40_000, 10)).sort());
  });

  test("counts calls that it had read and the log has lost at its end", async () => {
    const { fleet, topic, until, world } = setup({ calls: callsFrom(5_000, 10) });
    await until(15_000);
    fleet.stop(NAME);
    await until(30_000);
    let lost = 0;
    for (const [partition, { high }] of world.cluster.bounds(topic).entries()) {
      world.cluster.electUncleanly({ topic, partition }, Math.max(0, high - 1));
      lost += Math.min(high, 1);
    }
    fleet.startAgain(NAME);
    await until(60_000);
    expect(lost).toBeGreaterThan(0);
    expect(fleet.get(NAME)?.meters.total("records_truncated_total", { topic })).toBe(lost);
  });
});

describe("a router that starts", () => {
  test("waits for the schema registry, is not ready, and says so", async () => {
    const { delivered, fleet, said, until, world } = setup({ calls: callsFrom(20_000, 5) });
    world.registry.isAway = true;
    await until(10_000);
    expect(fleet.get(NAME)?.isReady).toBe(false);
    const waiting = said("waiting for the schema registry").filter(({ process }) => process === NAME);
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting[0]).toMatchObject({ level: "warn", facts: { problem: expect.stringContaining("away") } });
    world.registry.isAway = false;
    await until(40_000);
    expect(fleet.get(NAME)?.isReady).toBe(true);
    expect(delivered()).toHaveLength(5);
  });

  test("again after it stopped in order knows the calls of before, also when its disk is lost", async () => {
    const calls = callsFrom(5_000, 30).map((call) => ({ ...call, againAfterMs: 30_000 }));
    const { counted, delivered, fleet, until, world } = setup({ calls });
    await until(15_000);
    const first = fleet.get(NAME);
    fleet.stop(NAME);
    await until(20_000);
    expect(first?.status).toBe(0);
    world.loseDisk(NAME);
    fleet.startAgain(NAME);
    await until(60_000);
    expect([counted("duplicate"), counted("routed"), delivered().length]).toEqual([30, 0, 30]);
  });

  test("is not ready before its windows are open and its group is joined", async () => {
    const { fleet, until, world } = setup({ calls: callsFrom(5_000, 5) });
    for (const broker of [1, 2, 3]) world.cluster.takeBroker(broker, 60_000);
    await until(5_000);
    expect(fleet.get(NAME)?.isReady).toBe(false);
    for (const broker of [1, 2, 3]) world.cluster.bringBroker(broker);
    await until(40_000);
    expect(fleet.get(NAME)?.isReady).toBe(true);
  });
});

test("a router whose disk takes no more ends with status 1, and goes on when there is room", async () => {
  const { delivered, fleet, until, world } = setup({ calls: callsFrom(6_000, 20) });
  await until(5_000);
  const first = fleet.get(NAME);
  world.disk(NAME).isFull = true;
  await until(12_000);
  expect(first?.status).toBe(1);
  world.disk(NAME).isFull = false;
  await until(60_000);
  expect(new Set(delivered()).size).toBe(20);
});
