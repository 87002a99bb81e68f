// Waking in a whole deliverer in a simulated world: how its parts are put together.
import { expect, test } from "@jest/globals";
import type { Behaviour } from "#testing";
import { EVERY_CALL } from "#topics";
import { quietProcess } from "../../../test/simulation/world/fixtures/quiet-process.ts";
import { callsFrom, startWorld } from "../../../test/simulation/world/fixtures/quiet-world.ts";

const MINUTE_MS = 60_000;
const URL = "https://destination.test/1";
const TIMING = {
  retryDelaysMs: [1_000, 5 * MINUTE_MS],
  retryWindowMs: 60 * MINUTE_MS,
  dedupeWindowMs: 60 * MINUTE_MS,
  calmMs: 0,
  endMs: 0,
};

/** The webhook is down from five seconds on for fifteen; calls come then, and afterwards. `afterwards`: how it does until the 40th second. */
function setup(afterwards?: Behaviour) {
  const down = {
    id: "down",
    startMs: 5_000,
    endMs: 20_000,
    behaviour: { kind: "refusing_connections" },
  } as const;
  const then =
    afterwards === undefined
      ? []
      : [{ id: "then", startMs: 20_000, endMs: 40_000, behaviour: afterwards } as const];
  const usually = { kind: "well", fromMs: 1, toMs: 20 } as const;
  return startWorld({
    timing: TIMING,
    scripts: [{ url: URL, usually, phases: [down, ...then] }],
    calls: [...callsFrom(6_000, 20), ...callsFrom(25_000, 20, 500)],
  });
}

test("what waits for an endpoint is delivered when it is back, long before it is due, and nothing twice", async () => {
  const { delivered, fleet, until, world } = setup();
  await until(19_000);
  expect(delivered()).toEqual([]);
  await until(60_000);
  expect(delivered()).toHaveLength(40);
  const woken = fleet.get("deliverer-1")?.meters.total("delivery_woken_calls_total", {});
  expect(woken).toBe(20);
  // Those that were woken fall due now; their records are passed over.
  await until(10 * MINUTE_MS);
  expect(delivered()).toHaveLength(40);
  const wakes = world.cluster.records(world.topics.deliveryWakes.name).flat();
  expect(wakes.length).toBeGreaterThan(0);
  const last = new Map(wakes.map(({ key, value }) => [key, value]));
  // Cursors that the reader has passed are forgotten.
  expect([...last.values()].every((value) => value === null)).toBe(true);
});

test("what is woken and fails again waits again", async () => {
  const { delivered, fleet, until } = setup({ kind: "flaky", share: 0.4 });
  await until(60_000);
  const woken = fleet.get("deliverer-1")?.meters.total("delivery_woken_calls_total", {});
  expect(woken).toBeGreaterThan(0);
  expect(delivered().length).toBeLessThan(40);
  await until(30 * MINUTE_MS);
  expect(new Set(delivered()).size).toBe(40);
});

test("the next owner passes over what the one before woke, once it has read its cursors", async () => {
  const { delivered, fleet, until } = setup();
  await until(60_000);
  expect(delivered()).toHaveLength(40);
  fleet.stop("deliverer-1");
  await until(90_000);
  fleet.startAgain("deliverer-1");
  await until(10 * MINUTE_MS);
  expect(delivered()).toHaveLength(40);
});

test("a cursor that cannot be read is logged, and stops nothing", async () => {
  const { delivered, until, world, writeRaw } = setup();
  await until(4_000);
  writeRaw(world.topics.deliveryWakes.name, "d:t:0", Buffer.from("junk"));
  await until(60_000);
  expect(delivered()).toHaveLength(40);
  const said = world.logs.lines.filter(({ message }) => message.includes("cursor cannot be read"));
  expect(said).toMatchObject([{ level: "error", facts: { key: "d:t:0" } }]);
});

test("calls whose turns a low rate had put far out come at the new one, which control asks for first", async () => {
  const [limited] = startWorld().world.plan.destinations;
  if (limited === undefined) throw new Error("there is no destination");
  const quiet = startWorld({
    timing: TIMING,
    destinations: [{ ...limited, maxRequestsPerSecond: 0.1 }],
    calls: callsFrom(6_000, 40),
  });
  const { delivered, until, world, writeRaw } = quiet;
  const { serde, topics } = quietProcess(quiet, "control-1");
  void serde.start();
  await until(60_000);
  expect(delivered().length).toBeLessThan(10);
  const { id: destinationId } = limited;
  const asked = { id: "r1", destinationId, askedAtMs: world.host("control-1").now(), kind: "retry" };
  const request = { ...asked, ...EVERY_CALL, found: null, done: null };
  writeRaw(topics.retryRequests.name, destinationId, serde.encode(topics.retryRequests, request));
  const { name } = topics.destinationConfig;
  const written = world.cluster.records(name).flat().at(-1)?.value ?? null;
  const decoded = Promise.resolve(serde.decode(topics.destinationConfig, written));
  await until(61_000);
  const config = await decoded;
  const raised = { ...config, maxRequestsPerSecond: 20, version: config.version + 1 };
  writeRaw(name, destinationId, serde.encode(topics.destinationConfig, raised));
  await until(80_000);
  expect(delivered()).toHaveLength(40);
  await until(20 * MINUTE_MS);
  expect(delivered()).toHaveLength(40);
});
