import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { printedBy } from "../fixtures/printed.ts";
import { bytesText } from "./command.ts";
import { AUDIENCE_CALLS_PER_CORE, MEASURED_MEMORY, MEASURED_MICROS } from "./figures.ts";
import { limitsOf } from "./limits.ts";
import { capacityOf, type Load } from "./plan.ts";

const DOCS = join(import.meta.dirname, "../../docs/operate");
const documentText = (name: string): string => readFileSync(join(DOCS, name), "utf8");

const LOAD: Load = {
  callsPerSecond: 5_000,
  averageCallsPerSecond: 5_000,
  destinations: 10_000,
  destinationsPerCall: 1,
  callBytes: 700,
  hasAudiences: false,
  replicationFactor: 3,
};
const DAY_S = 86_400;

async function capacity(...args: string[]): Promise<{ code: number; out: string; said: string }> {
  const { code, lines, said } = await printedBy(["capacity", ...args]);
  return { code, out: lines.map((line) => `${line}\n`).join(""), said };
}

describe("the figures", () => {
  test("are those of docs/operate/performance.md", () => {
    const page = documentText("performance.md");
    for (const { row, micros } of Object.values(MEASURED_MICROS))
      expect(page).toContain(`| ${row} | ${micros} µs |`);
    expect(page).toContain(
      `| audience processor on Kafka: calls/s and core, both steps | ${AUDIENCE_CALLS_PER_CORE.toLocaleString("en")} |`,
    );
    const { deliverer, webhookRouter } = MEASURED_MEMORY;
    const megabytes = [webhookRouter, deliverer].map(({ million }) => million / 2 ** 20).join(" / ");
    expect(page).toContain(`| memory with 1,000,000 destinations: router / deliverer | ${megabytes} MiB |`);
  });
});

describe("what a load needs", () => {
  test("is the measured time of a core for each call, and processes that are used to six tenths", () => {
    const { services } = capacityOf(LOAD);
    expect(services).toMatchObject({
      ingest: { cores: 0.25, processes: 2 },
      "webhook-router": { cores: 0.175, processes: 2 },
      deliverer: { cores: 0.25, processes: 2 },
      "audience-processor": { cores: 0, processes: 0 },
      control: { cores: 0.03, processes: 1 },
    });
    const much = capacityOf({ ...LOAD, callsPerSecond: 100_000 });
    // 100,000 × 50 µs = 5 cores; 5 / 0.6 = 8.3. Twice nine deliverers want 18 partitions, in steps of 12.
    expect(much.services.ingest).toMatchObject({ cores: 5, processes: 9 });
    expect(much.partitions).toBe(24);
    // 100,000 × 40 µs × (1 + 2 × 0.5) = 8 cores, of which 4 a broker.
    expect(much.kafka).toMatchObject({ brokers: 3, cores: 8 });
  });

  test("counts a call that goes to several destinations once for each of them", () => {
    const { services, kafka } = capacityOf({ ...LOAD, destinationsPerCall: 3 });
    expect(services.ingest.cores).toBe(0.25);
    expect(services.deliverer.cores).toBe(0.75);
    expect(services["webhook-router"].cores).toBeCloseTo(0.525, 9);
    expect(kafka.cores).toBeCloseTo(0.8, 9);
  });

  test("keeps calls and jobs for three days, ids for one, on as many copies as are asked for", () => {
    const { kafka, services } = capacityOf({ ...LOAD, averageCallsPerSecond: 1_000, replicationFactor: 1 });
    const recordBytes = (700 + 165) * 0.7;
    const days = 3 + 3 + 14 * 0.005;
    expect(kafka.diskBytes).toBeCloseTo((1_000 * DAY_S * recordBytes * days) / 0.7, 0);
    expect(services["webhook-router"].diskBytes).toBe(1_000 * DAY_S * 54);
    const thrice = capacityOf({ ...LOAD, averageCallsPerSecond: 1_000 }).kafka.diskBytes;
    expect(thrice).toBeCloseTo(3 * kafka.diskBytes, 0);
  });

  test("keeps rows of control's index up to their bound, for each of its tables", () => {
    const diskOf = (averageCallsPerSecond: number, destinations: number) =>
      capacityOf({ ...LOAD, averageCallsPerSecond, destinations }).services.control.diskBytes;
    // Calls and failures of seven days, dead letters of fourteen, and three tables of statistics.
    expect(diskOf(1, 1)).toBeCloseTo(600 * (DAY_S * (7 + 7 * 0.05 + 14 * 0.005) + 3 * 4_000), 3);
    expect(diskOf(100_000, 10_000)).toBe(600 * 6 * 2_000_000);
    expect(documentText("configuration.md")).toMatch(/`HOOKLINE_INDEX_MAX_ROWS`.* `2000000` /);
  });

  test("with audiences has the audience processor, and the calls of ninety days", () => {
    const without = capacityOf(LOAD);
    const { services, kafka, partitions } = capacityOf({ ...LOAD, hasAudiences: true });
    expect(services["audience-processor"]).toMatchObject({ cores: 5_000 / 16_500, processes: 2 });
    expect(partitions).toBe(12);
    expect(kafka.diskBytes / without.kafka.diskBytes).toBeCloseTo((6.07 + 90) / 6.07, 5);
  });

  test("of memory grows with destinations, as it was measured at both ends", () => {
    const memoryOf = (destinations: number) =>
      capacityOf({ ...LOAD, destinations }).services.deliverer.memoryBytes;
    expect(memoryOf(1_000_000)).toBe(699 * 2 ** 20);
    expect(memoryOf(1)).toBe(228 * 2 ** 20);
  });
});

describe("what is at its end next", () => {
  test("is above the load that was planned for, the nearest first", () => {
    for (const callsPerSecond of [1, 500, 5_000, 30_000, 100_000, 300_000]) {
      const load = { ...LOAD, callsPerSecond, hasAudiences: true };
      const ends = limitsOf(load, capacityOf(load)).map((limit) => limit.callsPerSecond);
      expect(Math.min(...ends)).toBeGreaterThanOrEqual(callsPerSecond);
      expect(ends).toEqual(ends.toSorted((a, b) => a - b));
    }
  });

  test("is the number of partitions where more processes of all can be had, then failures", () => {
    const load = { ...LOAD, callsPerSecond: 100_000 };
    const last = limitsOf(load, capacityOf(load)).filter(({ isLiftedByMore }) => !isLiftedByMore);
    expect(last.map(({ callsPerSecond }) => Math.round(callsPerSecond))).toEqual([288_000, 600_000]);
    expect(last.map(({ what }) => what.split(",")[0])).toEqual(["deliverers", "control"]);
  });

  test("of control is lifted by threads, one for each 100,000 deliveries a second", () => {
    const threadsOf = (callsPerSecond: number, destinationsPerCall = 1): number =>
      capacityOf({ ...LOAD, callsPerSecond, destinationsPerCall }).indexThreads;
    expect([threadsOf(100_000), threadsOf(100_001), threadsOf(250_000)]).toEqual([0, 2, 3]);
    expect([threadsOf(50_000, 5), threadsOf(1e9)]).toEqual([3, 64]);
  });
});

describe("the command", () => {
  test("prints a plan, or all of it as JSON", async () => {
    const plan = await capacity("--calls", "5000", "--destinations", "10000");
    expect(plan.code).toBe(0);
    expect(plan.out).toMatch(/^ingest +2 +0\.25/m);
    expect(plan.out).toMatch(/^partitions {2}12 of every topic/m);
    expect(plan.out).not.toContain("HOOKLINE_INDEX_THREADS=");
    const much = await capacity("--calls", "250000", "--destinations", "10000");
    expect(much.out).toMatch(/^control {5}3 threads of its index.*HOOKLINE_INDEX_THREADS=3/m);
    const { code, out } = await capacity("--calls", "5000", "--destinations", "10000", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ load: LOAD, ...capacityOf(LOAD) });
  });

  test("wants to know calls and destinations", async () => {
    expect(await capacity("--calls", "many", "--destinations", "1")).toMatchObject({ code: 2 });
    expect(await capacity("--calls", "1")).toMatchObject({ code: 2 });
  });
});

test("docs/operate/scaling.md has the plans that the command prints", () => {
  const rows = [100, 1_000, 5_000, 20_000, 100_000].map((callsPerSecond) => {
    const load = { ...LOAD, callsPerSecond, averageCallsPerSecond: callsPerSecond };
    const plan = capacityOf(load);
    const { ingest, "webhook-router": router, deliverer } = plan.services;
    const [next] = limitsOf(load, plan).filter(({ isLiftedByMore }) => !isLiftedByMore);
    const cells = [
      callsPerSecond.toLocaleString("en"),
      [ingest, router, deliverer].map(({ processes }) => processes).join(" / "),
      plan.partitions,
      `${plan.kafka.brokers} (${plan.kafka.cores.toFixed(1)})`,
      bytesText(plan.kafka.diskBytes),
      bytesText(router.diskBytes),
      Math.round(next?.callsPerSecond ?? 0).toLocaleString("en"),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  expect(documentText("scaling.md")).toContain(rows.join("\n"));
});
