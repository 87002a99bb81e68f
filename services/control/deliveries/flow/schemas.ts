import { Type } from "typebox";
import { nullableInteger, nullableString } from "../../http/nullable.ts";
import { IndexedUntilField } from "../../http/time-pages.ts";
import { GROUP_FIELD, GROUPS, type GroupBy } from "./entries.ts";
import type { StatsEntry } from "./stats-entry.ts";
import { STEP_FIELDS } from "./steps.ts";

const byReason = (description: string) => Type.Record(Type.String(), Type.Integer(), { description });
const count = (description: string) => Type.Integer({ description });

export const DeliveryFlowView = Type.Object(
  {
    sent: count("Calls that became jobs of a destination: dead, waiting and delivered together."),
    passedOver: byReason("Calls that a connected destination did not get, by reason."),
    dead: byReason("Of sent, those that failed for good, by reason."),
    waiting: nullableInteger(
      "Of sent, those whose outcome is not known yet: queued, under way, or waiting for their next attempt. Null where it is not known: with groupBy, except eventType, and while more wait than can be counted in four seconds.",
    ),
    delivered: nullableInteger("Of sent, those that a webhook has taken; null where waiting is."),
  },
  { title: "DeliveryFlow", description: "Calls at destinations, replays not counted." },
);

export const CALL_FLOW_FIELDS = {
  received: count("Calls that came: refused and accepted together."),
  refused: byReason(
    "Calls that ingest answered with an error, by its code, by when that was told. A request that was refused as a whole before it was read counts as one; what came without a known write key has no source and is not here.",
  ),
  accepted: count("Calls that ingest accepted and routers have read: routed, dropped and failed together."),
  routed: count("Calls that at least one destination got."),
  dropped: byReason("Calls that no destination got, by reason."),
  failed: count("Calls that a fault of Hookline stopped in the router."),
  deliveries: DeliveryFlowView,
};

export const CountedUntilField = Type.Unsafe<string | null>({
  ...IndexedUntilField,
  description:
    "Calls that were routed, and dead letters that were written, before this moment are counted; null while the service has not read that far yet.",
});

const percentile = Type.Unsafe<number | null>({
  type: ["number", "null"],
  description: "Milliseconds, to within a quarter; null without any.",
});
const PERCENTILES = { p50Ms: percentile, p95Ms: percentile, p99Ms: percentile };

export const REQUEST_FIELDS = {
  attempts: Type.Record(Type.String(), Type.Integer(), {
    description:
      "Requests by outcome: success or a reason; diverted counts calls that were put off without a request.",
  }),
  ...PERCENTILES,
  latency: Type.Object(PERCENTILES, {
    title: "Latency",
    description: "Of successful requests, from the acceptance of the call to their end, without replays.",
  }),
};
export const RequestsView = Type.Object(REQUEST_FIELDS, {
  title: "RequestStats",
  description: "Requests to webhooks, by when they ended.",
});

export const STATS_QUERY = Type.Object({
  ...STEP_FIELDS,
  groupBy: Type.Optional(
    Type.Unsafe<GroupBy>({
      type: "string",
      enum: [...GROUPS],
      description:
        "An entry for each value in a step. eventType and eventName divide calls, webhook and status requests, reason both; the other counts of such an entry are empty.",
    }),
  ),
});

const group = (description: string) => Type.Optional(nullableString(description));

/** One of them where `groupBy` asks for it. */
export const GROUP_FIELDS = {
  eventType: group("Type of the calls, with groupBy=eventType; null for refused ones."),
  eventName: group(
    "Of track calls, with groupBy=eventName: of the hundred names with most calls, fewer where there are many steps; null for the others and for calls without one.",
  ),
  others: Type.Optional(
    Type.Boolean({ description: "With groupBy=eventName: true for track calls of all other names." }),
  ),
  reason: group("With groupBy=reason; null for calls and requests that went well."),
  webhookId: group("With groupBy=webhook; null where none was asked, or it is not known which."),
  status: group(
    "HTTP status of responses, with groupBy=status; as in 5xx for some of an endpoint that answers with too many. null without a response.",
  ),
} satisfies Record<(typeof GROUP_FIELD)[GroupBy] | "others", unknown>;

export function groupOf({ group: value, isRest }: StatsEntry, groupBy: GroupBy | undefined) {
  if (groupBy === undefined || value === undefined) return {};
  return { [GROUP_FIELD[groupBy]]: value, ...(isRest && { others: true }) };
}
