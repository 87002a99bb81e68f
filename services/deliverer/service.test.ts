// The whole service in a simulated world: how its parts are put together.
import { expect, jest, test } from "@jest/globals";
import { callsFrom, startWorld } from "../../test/simulation/world/fixtures/quiet-world.ts";
import { finishMs } from "./service.ts";

test("requests in flight have the time that an answer may take, and what is beside it", () => {
  const times = [5_000, 30_000].map((responseDeadlineMs) =>
    finishMs({ egress: { allowCidrs: [], responseDeadlineMs, userAgent: "" } }),
  );
  expect(times).toEqual([8_000, 33_000]);
});

test("jobs that were removed before a deliverer read them are counted, and the others are delivered", async () => {
  const { delivered, fleet, until, world } = startWorld({
    calls: [...callsFrom(5_000, 20), ...callsFrom(20_000, 30), ...callsFrom(40_000, 10)],
  });
  await until(15_000);
  expect(delivered()).toHaveLength(20);
  fleet.stop("deliverer-1");
  await until(30_000);
  const topic = world.topics.deliveryJobs.name;
  for (const [partition, { high }] of world.cluster.bounds(topic).entries())
    world.cluster.removeBefore({ topic, partition }, high);
  fleet.startAgain("deliverer-1");
  await until(60_000);
  const meters = fleet.get("deliverer-1")?.meters;
  expect(meters?.total("records_lost_total", { topic })).toBe(30);
  // They are of ten users, who have no order between them.
  expect(delivered().slice(20).sort()).toEqual(callsFrom(40_000, 10).map(({ messageId }) => messageId));
});

test("the oldest waiting call is none that another process has taken care of since", async () => {
  const MINUTE_MS = 60_000;
  const url = "https://destination.test/1";
  const down = {
    id: "down",
    startMs: 5_000,
    endMs: 20_000,
    behaviour: { kind: "refusing_connections" },
  } as const;
  const usually = { kind: "well", fromMs: 1, toMs: 20 } as const;
  const { processes, timing } = startWorld().world.plan;
  const { delivered, fleet, until } = startWorld({
    calls: callsFrom(6_000, 20),
    processes: [...processes, { name: "deliverer-2", service: "deliverer", startMs: 10_000, skewMs: 0 }],
    scripts: [{ url, usually, phases: [down] }],
    timing: { ...timing, retryDelaysMs: [5 * MINUTE_MS] },
  });
  const oldestS = () => fleet.get("deliverer-1")?.meters.value("delivery_oldest_waiting_timestamp_seconds");
  await until(9_000);
  expect(oldestS()).toBeGreaterThan(0);
  await until(8 * MINUTE_MS);
  expect(delivered()).toHaveLength(20);
  fleet.stop("deliverer-2");
  await until(10 * MINUTE_MS);
  expect(oldestS()).toBe(0);
});

test("calls that have never waited are delivered while cursors cannot be read, those that wait once they can", async () => {
  const url = "https://destination.test/1";
  const behaviour = { kind: "refusing_connections" } as const;
  const down = { id: "down", startMs: 5_000, endMs: 9_000, behaviour };
  const usually = { kind: "well", fromMs: 1, toMs: 20 } as const;
  const { delivered, fleet, until, world } = startWorld({
    calls: [...callsFrom(6_000, 20), ...callsFrom(15_000, 10)],
    scripts: [{ url, usually, phases: [down] }],
    timing: { ...startWorld().world.plan.timing, retryDelaysMs: [8_000] },
  });
  await until(10_000);
  fleet.stop("deliverer-1");
  const topic = world.topics.deliveryWakes.name;
  world.cluster.begin({ topic, partition: 0 }, [{ key: "ended", value: null }]);
  const decided = jest.spyOn(world.requestFaults, "decide").mockImplementation(({ partitions }) => {
    const isLost = partitions?.some((one) => one.topic === topic) === true;
    return isLost ? { kind: "lose_request", noticedAfterMs: 500 } : { kind: "pass" };
  });
  fleet.startAgain("deliverer-1");
  await until(30_000);
  expect(delivered().sort()).toEqual(callsFrom(15_000, 10).map(({ messageId }) => messageId));
  decided.mockRestore();
  await until(60_000);
  expect(delivered()).toHaveLength(30);
});
