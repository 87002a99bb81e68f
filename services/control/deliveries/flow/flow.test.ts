import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { FlowStage } from "../index/flow-stages.ts";
import type { FlowSum } from "../index/flow-table.ts";
import { entriesOf, type GROUPS } from "./entries.ts";
import { callFlow, deliveryFlow } from "./flow.ts";
import { readCounts } from "./read.ts";
import type { WaitingSum } from "./settled.ts";
import { readSteps } from "./steps.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 0, 10, 12, 34, 56);

const sum = (stage: FlowStage, calls: number, more: Partial<FlowSum> = {}): FlowSum => ({
  ...{ atMs: 0, type: "track", stage, reason: "", calls },
  ...more,
});

const waits = (calls: number, more: Partial<WaitingSum> = {}): WaitingSum => ({
  ...{ atMs: 0, type: "track", stage: "waiting", reason: "", calls },
  ...more,
});

test("received calls are refused and accepted ones together, accepted ones routed, dropped and failed ones, sent ones dead, waiting and delivered ones", () => {
  const sums = [
    sum("refused", 3, { reason: "invalid_type" }),
    sum("refused", 1, { reason: "rate_limited" }),
    sum("routed", 7),
    sum("dropped", 2, { reason: "duplicate" }),
    sum("dropped", 1, { reason: "filter_off" }),
    sum("failed", 1, { reason: "handler_failed" }),
    sum("sent", 9),
    sum("passed_over", 5, { reason: "event_off" }),
    sum("dead", 2, { reason: "window_over" }),
    sum("dead", 1, { reason: "permanent" }),
    waits(4),
  ];
  expect(callFlow(sums, true)).toEqual({
    ...{
      received: 15,
      refused: { invalid_type: 3, rate_limited: 1 },
      accepted: 11,
      routed: 7,
      dropped: { duplicate: 2, filter_off: 1 },
      failed: 1,
    },
    deliveries: {
      ...{ sent: 9, passedOver: { event_off: 5 } },
      ...{ dead: { window_over: 2, permanent: 1 }, waiting: 4, delivered: 2 },
    },
  });
});

test("a dead letter that is known before its call makes no number below zero", () => {
  const sums = [sum("dead", 1, { reason: "permanent" }), waits(1)];
  expect(deliveryFlow(sums, true)).toMatchObject({ waiting: 0, delivered: 0 });
});

test("where nobody knows what waits, nobody knows what is delivered", () => {
  expect(deliveryFlow([sum("sent", 3)], false)).toMatchObject({ sent: 3, waiting: null, delivered: null });
});

describe("entries", () => {
  const requests = (outcomes: Record<string, number>, statuses: Record<string, number> = {}) => ({
    ...{ outcomes, statuses, durationCounts: [0, 3], latencyCounts: [1] },
  });

  test("of a range, by whatever calls are grouped, add up to its total", () => {
    const stages: FlowStage[] = ["refused", "routed", "dropped", "failed", "sent", "passed_over"];
    const anySum = fc.record({
      atMs: fc.constantFrom(0, 60_000, 120_000),
      type: fc.constantFrom("track", "page", ""),
      stage: fc.constantFrom(...stages),
      reason: fc.constantFrom("", "duplicate", "filter_off"),
      calls: fc.nat(1_000),
    });
    fc.assert(
      fc.property(
        fc.array(anySum),
        fc.constantFrom(undefined, "eventType" as const, "reason" as const),
        (sums, groupBy) => {
          const groups = entriesOf({ sums, requests: [] }, groupBy).map((entry) =>
            callFlow(entry.sums, entry.isSettled),
          );
          const total = callFlow(sums, true);
          const added = (of: (flow: typeof total) => number) =>
            groups.reduce((all, flow) => all + of(flow), 0);
          expect(added((flow) => flow.received)).toBe(total.received);
          expect(added((flow) => flow.deliveries.sent)).toBe(total.deliveries.sent);
        },
      ),
    );
  });

  test("of calls by name have the most called, the others as one, and calls without a name, and add up", () => {
    const count = fc.nat(50);
    const name = fc.constantFrom("A", "B", "C");
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(0, 60_000), name, count)),
        count,
        count,
        (named, unnamed, pages) => {
          const of = (atMs: number, type: string, calls: number) => sum("routed", calls, { atMs, type });
          const sums = [
            ...named.map(([atMs, , calls]) => of(atMs, "track", calls)),
            ...[of(0, "track", unnamed), of(0, "page", pages)],
          ];
          const names = named.map(([atMs, own, calls]) => ({
            atMs,
            counts: new Map([[own, { routed: calls }]]),
          }));
          const entries = entriesOf({ names, requests: [], sums }, "eventName");
          const accepted = (chosen: typeof entries) =>
            chosen.reduce((all, entry) => all + callFlow(entry.sums, false).accepted, 0);
          expect(accepted(entries)).toBe(callFlow(sums, true).accepted);
          expect(accepted(entries.filter(({ isRest }) => isRest))).toBe(unnamed);
          for (const own of ["A", "B", "C"])
            expect(accepted(entries.filter(({ group }) => group === own))).toBe(
              named.reduce((all, [, other, calls]) => (other === own ? all + calls : all), 0),
            );
        },
      ),
    );
  });

  test("of calls by name are bounded, and the less called names are among the others", () => {
    const steps = Array.from({ length: 1_000 }, (_, step) => step * 60_000);
    const names = steps.map((atMs) => ({
      atMs,
      counts: new Map(Array.from({ length: 200 }, (_, at) => [`N${at}`, { routed: 200 - at }])),
    }));
    const sums = steps.map((atMs) => sum("routed", 20_100, { atMs }));
    const entries = entriesOf({ names, requests: [], sums }, "eventName");
    expect(entries.length).toBeLessThanOrEqual(10_000);
    expect(entries.slice(0, 3).map(({ group }) => group)).toEqual(["N0", "N1", "N2"]);
    expect(entries.reduce((all, entry) => all + callFlow(entry.sums, false).accepted, 0)).toBe(20_100_000);
  });

  test("of requests by status have the outcome of the status, and those without a response one of their own", () => {
    const counts = requests(
      { success: 5, http_5xx: 4, http_4xx: 1, timeout: 2, diverted: 1 },
      { "200": 4, "204": 1, "5xx": 1, "503": 3, "404": 1 },
    );
    const entries = entriesOf({ sums: [], requests: [{ atMs: 0, webhookId: "w", counts }] }, "status");
    expect(entries.map((entry) => [entry.group, entry.requests.outcomes])).toEqual([
      [null, { timeout: 2, diverted: 1 }],
      ["200", { success: 4 }],
      ["204", { success: 1 }],
      ["404", { http_4xx: 1 }],
      ["503", { http_5xx: 3 }],
      ["5xx", { http_5xx: 1 }],
    ]);
  });

  test("of requests by webhook have their durations and latencies, and by reason their outcomes", () => {
    const of = (webhookId: string, counts: ReturnType<typeof requests>) => ({ atMs: 0, webhookId, counts });
    const both = [
      of("w1", requests({ success: 3 })),
      of("w2", requests({ timeout: 1 })),
      of("w1", requests({ success: 1 })),
    ];
    const shown = (groupBy: (typeof GROUPS)[number]) =>
      entriesOf({ sums: [], requests: both }, groupBy).map((entry) => [entry.group, entry.requests]);
    expect(shown("webhook")).toEqual([
      ["w1", { outcomes: { success: 4 }, statuses: {}, durationCounts: [0, 6], latencyCounts: [2] }],
      ["w2", requests({ timeout: 1 })],
    ]);
    expect(shown("reason")).toMatchObject([
      [null, { outcomes: { success: 4 }, durationCounts: [] }],
      ["timeout", { outcomes: { timeout: 1 } }],
    ]);
    expect(shown("eventType")).toEqual([]);
  });
});

test("a long range is read stretch by stretch, each step once, of days longer ones than of minutes, with turns between", async () => {
  const asked: [number, number][] = [];
  let turns = 0;
  const index = {
    sumFlow: async ({ fromMs, toMs }: { fromMs: number; toMs: number }) => {
      asked.push([fromMs, toMs]);
      return [sum("routed", 1)];
    },
    sumNames: async () => [],
    sumRequests: () => [],
  };
  const host = {
    setImmediate: (work: () => void) => {
      turns += 1;
      work();
      return { clear: () => undefined };
    },
  };
  const progress = { indexedUntilMs: () => 0, offsets: () => [], untilCovers: async () => true };
  const waitingCounter = { count: async () => undefined };
  const parts = { deliveries: { index, progress }, host, nowMs: () => NOW_MS, waitingCounter };
  const range = readSteps({ from: "2025-10-01T00:00:00Z", step: "day" }, NOW_MS);
  const { sums } = await readCounts(parts, range);
  expect(asked[0]?.[0]).toBe(range.fromMs);
  expect(asked.at(-1)?.[1]).toBe(range.toMs);
  for (const [at, [fromMs]] of asked.slice(1).entries()) expect(fromMs).toBe(asked[at]?.[1]);
  const lengths = asked.map(([fromMs, toMs]) => (toMs - fromMs) / HOUR_MS);
  expect(lengths.slice(0, 4)).toEqual([30 * 24, 30 * 24, 11 * 24, 24]);
  expect(Math.max(...lengths.slice(-90))).toBe(0.5);
  expect([turns, callFlow(sums, true).accepted]).toEqual([asked.length - 1, asked.length]);
});

describe("a range", () => {
  test.each([
    ["minute", HOUR_MS, MINUTE_MS],
    ["hour", DAY_MS, HOUR_MS],
    ["day", 30 * DAY_MS, DAY_MS],
  ] as const)("of steps of a %s", (step, defaultMs, stepMs) => {
    const { fromMs, toMs } = readSteps({ step }, NOW_MS);
    expect([fromMs % stepMs, toMs % stepMs, toMs - fromMs]).toEqual([0, 0, defaultMs + stepMs]);
    expect(fromMs <= NOW_MS - defaultMs && toMs >= NOW_MS).toBe(true);
  });

  test.each([
    ["minute", "2026-01-08T13:00:00Z", "2026-01-08T12:33:00Z"],
    ["hour", "2025-12-11T13:00:00Z", "2025-12-11T10:00:00Z"],
    ["day", "2024-12-07T00:00:00Z", "2024-12-01T00:00:00Z"],
  ] as const)("of steps of a %s begins where they are kept", (step, from, before) => {
    expect(readSteps({ from, step }, NOW_MS).fromMs).toBe(Date.parse(from));
    expect(() => readSteps({ from: before, step }, NOW_MS)).toThrow("1 value is refused: from");
  });

  test("ends now, whatever time is asked for", () => {
    const { toMs } = readSteps({ to: "9999-12-31T00:00:00Z" }, NOW_MS);
    expect(toMs).toBe(Math.ceil(NOW_MS / MINUTE_MS) * MINUTE_MS + MINUTE_MS);
  });
});
