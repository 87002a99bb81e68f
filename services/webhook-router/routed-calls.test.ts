import { expect, test } from "@jest/globals";
import { type RoutedCall, routedCallKey, topicMap } from "#topics";
import { call, destination } from "./fixtures/calls.ts";
import type { Outcome } from "./route.ts";
import { createRecordCall } from "./routed-calls.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });
const decoded = { ...call(), sourceId: "s1", messageId: "m1", receivedAtMs: 5 };
const record = { topic: "calls", partition: 2, offset: 7, key: "k", value: null, timestampMs: 0, decoded };

function said(
  outcome: Outcome,
  destinations = [destination("a"), destination("b", { callTypes: ["page"] })],
) {
  const written: unknown[] = [];
  const encode = (_: unknown, value: unknown) => {
    written.push(value);
    return Buffer.alloc(0);
  };
  const sent = createRecordCall("all", { topics, serde: { encode } })?.(record, outcome, destinations);
  return { sent, routed: written[0] as RoutedCall };
}

test("a call that was routed names who got it, and why others did not", () => {
  const [a, b] = [destination("a"), destination("b", { callTypes: ["page"] })];
  const { routed, sent } = said({ kind: "forward", destinations: [a] }, [a, b]);
  expect(sent).toMatchObject({ topic: topics.routedCalls.name, key: routedCallKey(decoded) });
  expect(routed).toEqual({
    sourceId: "s1",
    messageId: "m1",
    userId: "u1",
    anonymousId: null,
    type: decoded.type,
    event: decoded.event,
    receivedAtMs: 5,
    partition: 2,
    offset: 7,
    outcome: "routed",
    destinationIds: ["a"],
    passedOver: [{ destinationId: "b", reason: "call_type_off" }],
  });
});

test("a call that was dropped says why, and of a copy nothing else", () => {
  const { routed } = said({ kind: "drop", reason: "no_destination" }, []);
  expect([routed.outcome, routed.destinationIds, routed.passedOver]).toEqual(["no_destination", [], []]);
  const copy = said({ kind: "drop", reason: "duplicate" }).routed;
  expect([copy.outcome, copy.destinationIds, copy.passedOver]).toEqual(["duplicate", [], []]);
});

test("nothing is said where nothing is asked for", () => {
  expect(createRecordCall("none", { topics, serde: { encode: () => Buffer.alloc(0) } })).toBeUndefined();
});
