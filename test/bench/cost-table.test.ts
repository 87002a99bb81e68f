import { expect, test } from "@jest/globals";
import { valuesByLabel } from "#support/metrics";
import { ALL, sayCosts } from "./cost-table.ts";
import type { Costs } from "./costs.ts";
import { type KafkaRequests, NO_REQUESTS } from "./kafka-requests.ts";
import { createReport, type Report } from "./report.ts";
import { sayAgainst } from "./under-load.ts";

const MIB = 2 ** 20;

/** Ten seconds, 100 calls in each: a process that counts its requests, one that does not, and the broker. */
function costs(calls = 1_000): Costs {
  const requests: KafkaRequests = {
    byApi: new Map([
      ["Produce", 50],
      ["Fetch", 150],
      ["LeaveGroup", 0],
    ]),
    produceRequests: new Map([
      ["calls", 50],
      ["jobs", 0],
    ]),
    producedRecords: new Map([
      ["calls", 100],
      ["jobs", 0],
    ]),
  };
  return {
    seconds: 10,
    calls,
    processes: new Map([
      ["ingest", { cpuSeconds: 0.2, wakes: 4_000, rssBytes: 100 * MIB }],
      ["old", { cpuSeconds: 0.1, wakes: 1_000, rssBytes: 50 * MIB }],
      ["broker", { cpuSeconds: 0.7, wakes: 9_000, rssBytes: 400 * MIB }],
    ]),
    outside: new Map([["generator", 0.05]]),
    requests: new Map([
      ["ingest", requests],
      ["old", NO_REQUESTS],
    ]),
  };
}

function said(say: (report: Report) => void): Map<string, number | null> {
  const conditions = { date: "", node: "", cpus: "", memoryGiB: 1, loadAverage: 0, kafka: "" };
  const report = createReport("b", conditions, () => undefined);
  say(report);
  const { figures } = JSON.parse(report.json()) as { figures: { name: string; value: number | null }[] };
  return new Map(figures.map(({ name, value }) => [name, value]));
}

const figuresOf = (given: Costs) => said((report) => sayCosts(report, "345/s", given));

test("what a process took is said a call and a second, and of all together with the broker", () => {
  const figures = figuresOf(costs());
  expect(figures.get("345/s: calls/s")).toBe(100);
  expect(figures.get("345/s: CPU a call, ingest")).toBeCloseTo(200);
  expect(figures.get("345/s: of a core, broker")).toBeCloseTo(7);
  expect(figures.get("345/s: wakes, ingest")).toBe(400);
  expect(figures.get("345/s: wakes a call, broker")).toBe(9);
  expect(figures.get("345/s: memory, ingest")).toBe(100);
  expect(figures.get(`345/s: CPU a call, ${ALL}`)).toBeCloseTo(1_000);
  expect(figures.get(`345/s: wakes a call, ${ALL}`)).toBe(14);
  expect(figures.get("345/s: CPU a call, generator (not counted above)")).toBeCloseTo(50);
});

test("requests are said by API and process, what is produced by topic; nothing that there is none of", () => {
  const figures = figuresOf(costs());
  expect(figures.get("345/s: requests, ingest")).toBe(200);
  expect(figures.get(`345/s: requests a call, ${ALL}`)).toBe(2);
  expect(figures.get("345/s, requests/s: ingest, Fetch")).toBe(150);
  expect(figures.has("345/s, requests/s: ingest, LeaveGroup")).toBe(false);
  expect(figures.get("345/s, what is produced: produces, ingest, calls")).toBe(50);
  expect(figures.get("345/s, what is produced: records a produce, ingest, calls")).toBe(2);
  expect(figures.has("345/s, what is produced: produces, ingest, jobs")).toBe(false);
});

test("the headline of one load is a multiple of the relay's at the same load", () => {
  const figures = said((report) =>
    sayAgainst(
      report,
      "relay",
      new Map([["345/s", [100, 50, 4, 3, 10, 30]]]),
      new Map([["345/s", [200, 25, 4, Number.NaN, 5, 10]]]),
    ),
  );
  expect(figures.get("against the relay: calls/s, 345/s")).toBe(0.5);
  expect(figures.get("against the relay: CPU a call, 345/s")).toBe(2);
  expect(figures.get("against the relay: requests a call, 345/s")).toBeNull();
  expect(figures.get("against the relay: p99, 345/s")).toBe(3);
});

test("requests of a version that does not count them are unknown, not none", () => {
  const figures = figuresOf(costs());
  expect(figures.get("345/s: requests, old")).toBeNull();
  const uncounted = figuresOf({ ...costs(), requests: new Map([["old", NO_REQUESTS]]) });
  expect(uncounted.get(`345/s: requests, ${ALL}`)).toBeNull();
});

test("without calls there is no share of a call", () => {
  const figures = figuresOf(costs(0));
  expect(figures.get("345/s: CPU a call, ingest")).toBeNull();
  expect(figures.get("345/s: requests, ingest")).toBe(200);
  expect(figures.has("345/s: CPU a call, generator (not counted above)")).toBe(false);
});

test("a metric's values are read by its only label, those of a longer name are not its own", () => {
  const text = [
    "# HELP hookline_kafka_requests_total h",
    'hookline_kafka_requests_total{api="Fetch"} 12',
    'hookline_kafka_requests_total{api="Produce"} 3.5e3',
    'hookline_kafka_requests_total_more{api="Fetch"} 9',
    "hookline_kafka_requests_total 4",
  ].join("\n");
  expect(valuesByLabel(text, "hookline_kafka_requests_total")).toEqual(
    new Map([
      ["Fetch", 12],
      ["Produce", 3_500],
    ]),
  );
});
