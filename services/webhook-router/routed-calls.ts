// The router's records about each call where HOOKLINE_RECORDED_CALLS asks for it: its destinations, and why
// the others did not get it (decision 95).
import type { OutgoingRecord, Received } from "#kafka";
import type { Serde } from "#serde";
import { type Call, type RoutedCall, routedCallKey, type TopicMap } from "#topics";
import type { RoutedDestination } from "./destination-index.ts";
import { type Outcome, whyPassedOver } from "./route.ts";

/** Values of HOOKLINE_RECORDED_CALLS. */
export const RECORDED_CALLS = ["none", "all"] as const;

/** `destinations` are the enabled ones of the call's source. It leaves when the call's jobs are durable. */
export type RecordCall = (
  record: Received<Call>,
  outcome: Outcome,
  destinations: readonly RoutedDestination[],
) => OutgoingRecord;

/** Undefined where nothing is to be said. */
export function createRecordCall(
  recorded: (typeof RECORDED_CALLS)[number],
  {
    topics,
    serde,
  }: { readonly topics: Pick<TopicMap, "routedCalls">; readonly serde: Pick<Serde, "encode"> },
): RecordCall | undefined {
  if (recorded === "none") return undefined;
  return (record, outcome, destinations) => {
    const routed = routedCall(record, outcome, destinations);
    return {
      topic: topics.routedCalls.name,
      key: routedCallKey(routed),
      value: serde.encode(topics.routedCalls, routed),
    };
  };
}

function routedCall(
  { decoded: call, partition, offset }: Received<Call>,
  outcome: Outcome,
  destinations: readonly RoutedDestination[],
): RoutedCall {
  const { sourceId, messageId, userId, anonymousId, type, event, receivedAtMs } = call;
  const taking = outcome.kind === "forward" ? outcome.destinations : [];
  return {
    sourceId,
    messageId,
    userId,
    anonymousId,
    type,
    event,
    receivedAtMs,
    partition,
    offset,
    outcome: outcome.kind === "forward" ? "routed" : outcome.reason,
    destinationIds: taking.map(({ id }) => id),
    passedOver: whyPassedOver(call, outcome, destinations),
  };
}
