import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { FlowStage, FlowSum } from "../index/flow-table.ts";
import { callFlow, deliveryFlow, grouped } from "./flow.ts";
import { readFlow } from "./read.ts";
import { readSteps } from "./steps.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const NOW_MS = Date.UTC(2026, 0, 10, 12, 34, 56);

const sum = (stage: FlowStage, calls: number, more: Partial<FlowSum> = {}): FlowSum => ({
  ...{ atMs: 0, type: "track", stage, reason: "", calls },
  ...more,
});

test("received calls are refused and accepted ones together, accepted ones routed, dropped and failed ones, sent ones dead and others together", () => {
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
  ];
  expect(callFlow(sums)).toEqual({
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
      ...{ dead: { window_over: 2, permanent: 1 }, deliveredOrWaiting: 6 },
    },
  });
});

test("a dead letter that is known before its call makes no number below zero", () => {
  expect(deliveryFlow([sum("dead", 1, { reason: "permanent" })]).deliveredOrWaiting).toBe(0);
});

test("whatever is counted, the groups of a range add up to its total", () => {
  const stages: FlowStage[] = ["refused", "routed", "dropped", "failed", "sent", "passed_over"];
  const anySum = fc.record({
    atMs: fc.constantFrom(0, 60_000, 120_000),
    type: fc.constantFrom("track", "page"),
    stage: fc.constantFrom(...stages),
    reason: fc.constantFrom("", "duplicate", "filter_off"),
    calls: fc.nat(1_000),
  });
  fc.assert(
    fc.property(fc.array(anySum), fc.boolean(), (sums, byType) => {
      const groups = grouped(sums, byType).map((group) => callFlow(group.sums));
      const total = callFlow(sums);
      const added = (of: (flow: typeof total) => number) => groups.reduce((all, flow) => all + of(flow), 0);
      expect(added((flow) => flow.accepted)).toBe(total.accepted);
      expect(added((flow) => flow.deliveries.sent)).toBe(total.deliveries.sent);
    }),
  );
});

test("a long range is read stretch by stretch, each minute once, with turns between", async () => {
  const asked: [number, number][] = [];
  let turns = 0;
  const index = {
    sumFlow: ({ fromMs, toMs }: { fromMs: number; toMs: number }) => {
      asked.push([fromMs, toMs]);
      return [sum("routed", 1)];
    },
  };
  const host = {
    setImmediate: (work: () => void) => {
      turns += 1;
      work();
      return { clear: () => undefined };
    },
  };
  const parts = { deliveries: { index, progress: { indexedUntilMs: () => 0 } }, host };
  const sums = await readFlow(parts, { fromMs: 0, toMs: 13 * HOUR_MS, stepMs: DAY_MS });
  expect(asked).toEqual([
    [0, 6 * HOUR_MS],
    [6 * HOUR_MS, 12 * HOUR_MS],
    [12 * HOUR_MS, 13 * HOUR_MS],
  ]);
  expect([turns, callFlow(sums).accepted]).toEqual([2, 3]);
});

describe("a range", () => {
  test.each([
    ["minute", HOUR_MS, MINUTE_MS],
    ["hour", DAY_MS, HOUR_MS],
    ["day", 7 * DAY_MS, DAY_MS],
  ] as const)("of steps of a %s", (step, defaultMs, stepMs) => {
    const { fromMs, toMs } = readSteps({ step }, NOW_MS);
    expect([fromMs % stepMs, toMs % stepMs, toMs - fromMs]).toEqual([0, 0, defaultMs + stepMs]);
    expect(fromMs <= NOW_MS - defaultMs && toMs >= NOW_MS).toBe(true);
  });

  test("of minutes is two days at most, where nobody says otherwise", () => {
    const query = { from: "2026-01-01T00:00:00Z", to: "2026-01-04T00:00:00Z" };
    expect(() => readSteps(query, NOW_MS)).toThrow("1 value is refused: from");
    expect(readSteps(query, NOW_MS, 7 * DAY_MS).stepMs).toBe(MINUTE_MS);
    expect(readSteps({ ...query, step: "hour" }, NOW_MS).stepMs).toBe(HOUR_MS);
  });
});
