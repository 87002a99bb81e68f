// The watch over health on a simulated Kafka: how its parts are put together, and what two processes make of it.
import { describe, expect, test } from "@jest/globals";
import { partitionOfKey } from "#kafka";
import { NO_FAULTS, PASS } from "#testing";
import { EPOCH_MS } from "#testing/host";
import type { DestinationConfig } from "#topics";
import { type QuietWorld, startWorld } from "../../../../test/simulation/world/fixtures/quiet-world.ts";
import { type Control, control, type Options, operator } from "./fixtures/simulated-control.ts";

async function setup(names: readonly string[] = ["control-1"], options: Options = {}) {
  const quiet = startWorld({ processes: [], destinations: [] });
  const told = operator();
  const [one, other] = names.map((name) => control(quiet, name, told, options));
  if (one === undefined) throw new TypeError("it takes a process");
  await quiet.until(10_000);
  const { world } = quiet;
  const valuesOf = (topic: string) =>
    world.cluster
      .records(topic)
      .flat()
      .map(({ value }) => value);
  /** Attempts of this outcome, one a second. */
  async function attempts(of: Control, outcome: string, count: number): Promise<void> {
    for (let one = 0; one < count; one += 1) {
      of.write.attempt(outcome);
      await quiet.until(world.time.nowMs + 1_000);
    }
  }
  const pass = (ms: number) => quiet.until(world.time.nowMs + ms);
  const types = () => told.sent.map(({ type }) => type);
  const settled = (groupId: string, topic: string) => {
    const committed = world.cluster.committed(groupId, topic);
    return world.cluster
      .bounds(topic)
      .every(({ high }, partition) => (committed.get(partition) ?? 0) === high);
  };
  return { ...quiet, attempts, one, other: other ?? one, pass, settled, told, types, valuesOf };
}

const GROUP = "control";

type World = QuietWorld["world"];

/** Whether it reads the attempts of d1. */
function isOwner({ cluster, topics }: World, { name }: Control): boolean {
  const partition = partitionOfKey("d1", 2);
  const mine = cluster.members(GROUP).filter(({ process }) => process === name);
  return mine.some(({ assigned }) =>
    assigned.some((one) => one.topic === topics.deliveryAttempts.name && one.partition === partition),
  );
}

/** What one process asks for, when this topic's records are among it, is on its way for long, until `release`; not what it has asked for already. */
function hold({ cluster }: World, { name }: Control, topic: string): void {
  cluster.faults = {
    decide: ({ api, partitions = [], process }) =>
      api === "read" && process === name && partitions.some((one) => one.topic === topic)
        ? { kind: "delay", requestMs: 40_000 }
        : PASS,
  };
}

function release({ cluster }: World): void {
  cluster.faults = NO_FAULTS;
}

describe("the watch over health", () => {
  test("tells of failing once, shows it, and of the recovery, which time alone brings", async () => {
    const { attempts, one, pass, settled, told, types, world } = await setup();
    one.write.destination({});
    await attempts(one, "timeout", 12);
    expect(one.started.book?.of("d1")?.state).toBe("failing");
    expect([types(), one.unwell("failing"), one.unwell("recovering")]).toEqual([
      ["destination.failing"],
      1,
      0,
    ]);
    expect(told.sent[0]?.data).toMatchObject({ destinationId: "d1", name: "Shop" });
    await attempts(one, "success", 1);
    expect([one.unwell("failing"), one.unwell("recovering")]).toEqual([0, 1]);
    await pass(62_000);
    expect(one.started.book?.of("d1")?.state).toBe("healthy");
    expect([types().slice(1), one.unwell("recovering")]).toEqual([["destination.recovered"], 0]);
    expect(settled(GROUP, world.topics.deliveryAttempts.name)).toBe(true);
    expect(settled(GROUP, world.topics.operationalEvents.name)).toBe(true);
    expect(one.metrics.total("control_operational_events_total", { outcome: "delivered" })).toBe(2);
  });

  test("shows the same in another process, which takes it over when the first one stops", async () => {
    const { attempts, one, other, pass, types } = await setup(["control-1", "control-2"]);
    one.write.destination({});
    await attempts(one, "timeout", 12);
    expect([one, other].map(({ started }) => started.book?.of("d1")?.state)).toEqual(["failing", "failing"]);
    one.stop();
    await pass(30_000);
    expect(one.started.status).toBe(0);
    await attempts(other, "success", 1);
    await pass(62_000);
    expect(other.started.book?.of("d1")?.state).toBe("healthy");
    expect(types()).toEqual(["destination.failing", "destination.recovered"]);
  });

  test.each(["destinationHealth", "destinationConfig"] as const)(
    "a process that takes attempts over waits until it has read all of %s",
    async (name) => {
      const { attempts, one, other, pass, settled, world } = await setup(["control-1", "control-2"]);
      const { deliveryAttempts, [name]: table } = world.topics;
      one.write.destination({});
      await attempts(one, "timeout", 1);
      const [owner, heir] = isOwner(world, one) ? [one, other] : [other, one];
      hold(world, heir, table.name);
      await attempts(owner, "timeout", 12);
      owner.write.destination({ version: 2 });
      owner.stop();
      await pass(2_000);
      heir.write.attempt("success");
      await pass(10_000);
      expect(isOwner(world, heir)).toBe(true);
      expect(settled(GROUP, deliveryAttempts.name)).toBe(false);
      release(world);
      await pass(60_000);
      expect(settled(GROUP, deliveryAttempts.name)).toBe(true);
    },
  );

  test.each<[string, Partial<DestinationConfig>]>([
    ["a later version of the same moment", { version: 2 }],
    ["the same version of another moment", { updatedAtMs: EPOCH_MS + 1 }],
  ])("does not switch off what somebody changed while its end was judged: %s", async (_, changes) => {
    const { attempts, one, pass, world } = await setup();
    one.write.destination({ disableAfterMs: 15_000 });
    await attempts(one, "timeout", 12);
    hold(world, one, world.topics.destinationConfig.name);
    await attempts(one, "timeout", 3);
    one.write.destination({ disableAfterMs: null, ...changes });
    await attempts(one, "timeout", 4);
    release(world);
    await pass(60_000);
    expect(one.destinations.get("d1")).toMatchObject({ enabled: true, disableAfterMs: null });
    expect(world.logs.lines.filter(({ message }) => message.includes("switched off"))).toEqual([]);
  });

  test("switches off what asks for it, tells of it, and says so", async () => {
    const { attempts, one, types, world } = await setup();
    one.write.destination({ disableAfterMs: 15_000 });
    await attempts(one, "timeout", 14);
    expect(one.destinations.get("d1")?.enabled).toBe(true);
    await attempts(one, "timeout", 4);
    expect(one.destinations.get("d1")).toMatchObject({ enabled: false, version: 2 });
    expect(one.destinations.get("d1")?.disabledReason).toContain("failed for 15s");
    expect(types()).toEqual(["destination.failing", "destination.disabled"]);
    const [line] = world.logs.lines.filter(({ message }) => message.includes("switched off"));
    const reason = one.destinations.get("d1")?.disabledReason;
    expect(line).toMatchObject({ level: "warn", facts: { destinationId: "d1", reason } });
  });

  test("that switched something off counts from zero when a person has switched it on again", async () => {
    const { attempts, one, world } = await setup();
    one.write.destination({ disableAfterMs: 15_000 });
    await attempts(one, "timeout", 18);
    expect(one.destinations.get("d1")).toMatchObject({ enabled: false, version: 2 });
    const enabledAtMs = EPOCH_MS + world.time.nowMs;
    one.write.destination({ disableAfterMs: 15_000, version: 3, enabledAtMs, updatedAtMs: enabledAtMs });
    await attempts(one, "timeout", 14);
    expect(one.destinations.get("d1")).toMatchObject({ enabled: true, version: 3 });
    await attempts(one, "timeout", 4);
    expect(one.destinations.get("d1")).toMatchObject({ enabled: false, version: 4 });
  });

  test("tells of dead letters at once, then of a minute's together; also of a destination that is not there", async () => {
    const { one, pass, settled, told, world } = await setup();
    for (const reason of ["window_over", "permanent", "permanent"]) {
      one.write.deadLetter(reason);
      await pass(1_000);
    }
    expect(told.sent.map(({ data }) => [data["name"], data["count"]])).toEqual([["d1", 1]]);
    expect(settled(GROUP, world.topics.deadLetters.name)).toBe(false);
    one.write.destination({});
    await pass(62_000);
    expect(told.sent[1]?.data).toMatchObject({ name: "Shop", count: 2, reasons: { permanent: 2 } });
    expect(settled(GROUP, world.topics.deadLetters.name)).toBe(true);
  });

  test("counts as unwell, and as tried at all, only what calls are sent to", async () => {
    const { attempts, one, pass } = await setup();
    const counts = () => [one.unwell("failing"), one.tried()];
    one.write.destination({});
    await pass(1_000);
    expect(counts()).toEqual([0, 0]);
    await attempts(one, "timeout", 12);
    expect(counts()).toEqual([1, 1]);
    for (const changes of [
      { enabled: false },
      { pausedAtMs: EPOCH_MS },
      { webhooks: [{ url: "https://new.test/", headers: [] }] },
    ]) {
      one.write.destination(changes);
      await pass(1_000);
      expect(counts()).toEqual([0, 0]);
    }
    one.write.destination({});
    await pass(1_000);
    await attempts(one, "success", 1);
    await pass(62_000);
    expect(counts()).toEqual([0, 1]);
  });

  test("forgets what is deleted, and only what it has", async () => {
    const { attempts, one, pass, valuesOf, world } = await setup();
    one.write.destination({});
    await attempts(one, "timeout", 12);
    const { name } = world.topics.destinationHealth;
    one.started.book?.forget("none");
    await pass(1_000);
    expect(valuesOf(name)).not.toContain(null);
    one.started.book?.forget("d1");
    await pass(1_000);
    expect(valuesOf(name).filter((value) => value === null)).toHaveLength(1);
    expect([one.started.book?.of("d1"), one.unwell("failing")]).toEqual([undefined, 0]);
  });

  test("goes over records that cannot be read, and says where they are", async () => {
    const { attempts, one, pass, settled, world, writeRaw } = await setup();
    const { deliveryAttempts, deadLetters, destinationHealth, operationalEvents } = world.topics;
    for (const { name } of [deliveryAttempts, deadLetters, destinationHealth, operationalEvents])
      writeRaw(name, "d1", Buffer.from("junk"));
    one.write.destination({});
    await attempts(one, "timeout", 12);
    await pass(5_000);
    expect(one.started.book?.of("d1")?.state).toBe("failing");
    const said = world.logs.lines.filter(({ level }) => level === "error");
    expect(said.map(({ message }) => message).sort()).toEqual([
      "a record says nothing about health",
      "a record says nothing about health",
      "an operational event cannot be read",
      "health of a destination cannot be read",
    ]);
    expect(said).toContainEqual(
      expect.objectContaining({ facts: expect.objectContaining({ destinationId: "d1" }) }),
    );
    for (const { name } of [deliveryAttempts, deadLetters]) expect(settled(GROUP, name)).toBe(true);
    expect(settled(GROUP, operationalEvents.name)).toBe(true);
  });
});

describe("the operator's webhook", () => {
  test("that takes nothing is asked again, it is said, and the process still stops in order", async () => {
    const { one, pass, told, world } = await setup();
    told.status = 500;
    one.write.deadLetter("permanent");
    await pass(20_000);
    expect(told.sent.length).toBeGreaterThan(3);
    const failed = one.metrics.total("control_operational_events_total", { outcome: "failed" });
    expect(failed).toBe(told.sent.length);
    const [line] = world.logs.lines.filter(({ message }) => message.includes("did not take an event"));
    const facts = { type: "destination.dead_lettered", why: "status 500" };
    expect(line).toMatchObject({ level: "warn", facts });
    one.stop();
    await pass(30_000);
    expect(one.started.status).toBe(0);
  });

  test("gets what the process before could not tell", async () => {
    const { one, other, pass, told, world } = await setup(["control-1", "control-2"]);
    told.status = 500;
    one.write.deadLetter("permanent");
    await pass(10_000);
    const sender = told.sent.at(-1)?.process === "control-1" ? one : other;
    sender.stop();
    told.status = 204;
    await pass(40_000);
    expect(sender.started.status).toBe(0);
    const { sent } = told;
    expect(new Set(sent.map(({ process }) => process)).size).toBe(2);
    const { name } = world.topics.operationalEvents;
    const committed = world.cluster.committed(GROUP, name);
    expect([...committed.values()].reduce((sum, offset) => sum + Math.max(0, offset), 0)).toBe(1);
  });

  test("that is not configured gets nothing, and health is kept all the same", async () => {
    const { attempts, one, told, valuesOf, world } = await setup(["control-1"], { operatorUrl: undefined });
    one.write.destination({});
    one.write.deadLetter("permanent");
    await attempts(one, "timeout", 12);
    expect(one.started.book?.of("d1")?.state).toBe("failing");
    expect([told.sent, valuesOf(world.topics.operationalEvents.name)]).toEqual([[], []]);
  });
});
