// Up to when windows have ended, as operators see it: the processor whole, in a simulated world.
import { expect, test } from "@jest/globals";
import { EPOCH_MS } from "#testing/host";
import type { Plan, ProcessPlan } from "../../test/simulation/plan/plan.ts";
import { startWorld } from "../../test/simulation/world/fixtures/quiet-world.ts";

const processOf = (service: ProcessPlan["service"]): ProcessPlan => ({
  name: `${service}-1`,
  service,
  startMs: 0,
  skewMs: 0,
});

const PLAN: Partial<Plan> = {
  processes: [processOf("ingest"), processOf("audience-processor")],
  destinations: [],
  scripts: [],
};

/** It looks every ten seconds here: no audience is defined. */
const CLOSE_MS = 11_000;

test("stays close behind the clock, stands still while Kafka is out of reach, and is close again afterwards", async () => {
  const { fleet, until, world } = startWorld(PLAN);
  const name = "audience-processor-1";
  const behindMs = (): number => {
    const shown = fleet.get(name)?.meters.value("audience_watermark_timestamp_seconds") ?? 0;
    return EPOCH_MS + world.time.nowMs - shown * 1_000;
  };
  await until(30_000);
  expect(fleet.get(name)?.isReady).toBe(true);
  expect(behindMs()).toBeLessThan(CLOSE_MS);
  world.cluster.cut(name);
  await until(60_000);
  expect(behindMs()).toBeGreaterThan(30_000);
  world.cluster.heal(name);
  await until(100_000);
  expect(behindMs()).toBeLessThan(CLOSE_MS);
});
