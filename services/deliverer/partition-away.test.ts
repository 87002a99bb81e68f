// A deliverer on a simulated Kafka of which one partition is away: calls of one destination wait for it, those of another do not.
import { expect, jest, test } from "@jest/globals";
import { partitionOfKey, type TopicPartition } from "#kafka";
import type { Behaviour } from "#testing";
import type { Plan } from "../../test/simulation/plan/plan.ts";
import { callsFrom, startWorld } from "../../test/simulation/world/fixtures/quiet-world.ts";

const IDS = ["well", "other"];

/** Both destinations get all calls, and the endpoint of the other answers so. */
function world(behaviour: Behaviour, plan: Pick<Plan, "calls"> & Partial<Plan>) {
  const urls = IDS.map((id) => `https://${id}.test/`);
  const started = startWorld({
    destinations: IDS.map((id, at) => ({
      id,
      urls: urls.slice(at, at + 1),
      callTypes: null,
      maxRequestsPerSecond: null,
      maxInFlight: null,
    })),
    scripts: urls.map((url, at) => ({
      url,
      usually: { kind: "well", fromMs: 1, toMs: 20 },
      phases: at === 0 ? [] : [{ id: "always", startMs: 0, endMs: 1e9, behaviour }],
    })),
    ...plan,
  });
  const { cluster, requestFaults, topics } = started.world;
  return {
    ...started,
    faults: jest.spyOn(requestFaults, "decide"),
    letters: () => cluster.records(topics.deadLetters.name).map(({ length }) => length),
    delivered: () => new Set(started.delivered()).size,
  };
}

test("dead letters that their partition does not take go to another one", async () => {
  const calls = callsFrom(5_000, 1_200, 5);
  const { delivered, faults, letters, until } = world({ kind: "rejecting" }, { calls });
  const away = partitionOfKey("other", 2);
  const only = ({ topic, partition }: TopicPartition) => topic === "dead-letters" && partition === away;
  faults.mockImplementation(({ api, partitions = [] }) =>
    api === "produce" && partitions.some(only)
      ? { kind: "refuse", error: "NOT_ENOUGH_REPLICAS", only }
      : { kind: "pass" },
  );
  await until(90_000);
  expect([delivered(), letters()[away], letters()[1 - away]]).toEqual([1_200, 0, 1_200]);
});

test("calls of a destination that was switched off wait for the configuration, and have a quarter of the places meanwhile", async () => {
  const { delivered, faults, fleet, letters, until } = world(
    { kind: "unavailable", retryAfterS: undefined },
    {
      partitions: 8,
      timing: {
        retryDelaysMs: [20_000],
        retryWindowMs: 600_000,
        dedupeWindowMs: 3_600_000,
        calmMs: 0,
        endMs: 0,
      },
      calls: [...callsFrom(5_000, 2_400, 4), ...callsFrom(40_000, 200, 10)],
      changes: [{ id: "off", destinationId: "other", atMs: 16_500, to: "disabled" }],
    },
  );
  await until(18_000);
  faults.mockImplementation(({ api, process }) =>
    api === "list_offsets" && process === "deliverer-1"
      ? { kind: "refuse", error: "LEADER_NOT_AVAILABLE" }
      : { kind: "pass" },
  );
  await until(45_000);
  const outstanding = fleet.get("deliverer-1")?.meters.value("delivery_outstanding_calls");
  expect([delivered(), outstanding, letters()]).toEqual([2_600, 500, Array(8).fill(0)]);
  faults.mockRestore();
  await until(90_000);
  expect(letters().reduce((sum, count) => sum + count)).toBe(2_400);
});
