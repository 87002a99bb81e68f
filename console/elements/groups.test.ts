import { expect, test } from "@jest/globals";
import { groupByOf, groupsOf, requestCounts } from "./groups.ts";

const CALLS = {
  ...{
    at: "2026-01-10T12:00:00.000Z",
    received: 4,
    refused: {},
    accepted: 4,
    routed: 3,
    dropped: {},
    failed: 1,
  },
  deliveries: { sent: 3, passedOver: {}, dead: { permanent: 1 }, waiting: 1, delivered: 1 },
};
const TOOK = { p50Ms: null, p95Ms: null, p99Ms: null };
const requests = (attempts: Record<string, number>) => ({ attempts, ...TOOK, latency: TOOK });

test("groups are summed over steps, the largest first; others and those without a name are apart", () => {
  const entries = [
    { ...CALLS, eventName: null, requests: requests({}) },
    { ...CALLS, eventName: "Bought", requests: requests({}) },
    { ...CALLS, eventName: "Bought", requests: requests({}) },
    { ...CALLS, received: 1, eventName: null, others: true, requests: requests({}) },
  ];
  expect(groupsOf(entries).map(({ name, received, sent, dead }) => [name, received, sent, dead])).toEqual([
    ["Bought", 8, 6, 2],
    ["none", 4, 3, 1],
    ["others", 1, 3, 1],
  ]);
});

test("groups of a destination's requests have their success", () => {
  const calls = { sent: 0, passedOver: {}, dead: {}, waiting: 0, delivered: 0 };
  const entry = { minute: CALLS.at, calls, ...requests({ success: 3, http_5xx: 1 }) };
  expect(
    groupsOf([
      { ...entry, status: "200" },
      { ...entry, status: null },
    ]),
  ).toMatchObject([
    { name: "200", requests: 4, success: 3 },
    { name: "none", requests: 4, success: 3 },
  ]);
});

test("what was put off without a request is no request, and none that failed", () => {
  const attempts = { success: 3, http_5xx: 1, diverted: 96 };
  expect(requestCounts(attempts)).toEqual({ all: 4, success: 3 });
  const calls = { sent: 0, passedOver: {}, dead: {}, waiting: 0, delivered: 0 };
  const entry = { minute: CALLS.at, calls };
  const entries = [
    { ...entry, ...requests({ success: 3, http_5xx: 1 }), webhookId: "whk_1" },
    { ...entry, ...requests({ diverted: 96 }), webhookId: null },
  ];
  expect(groupsOf(entries)).toMatchObject([{ name: "whk_1", requests: 4, success: 3 }]);
});

test("another name than those of groups is none", () => {
  expect([groupByOf("status"), groupByOf("colour"), groupByOf(undefined)]).toEqual([
    "status",
    undefined,
    undefined,
  ]);
});
