// The whole service in a simulated world: how its parts are put together.
import { expect, test } from "@jest/globals";
import { callsFrom, startWorld } from "../../test/simulation/world/fixtures/quiet-world.ts";

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
