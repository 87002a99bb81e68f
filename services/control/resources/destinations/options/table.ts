// The options of a destination (contract 2.3, 4.4, 4.5): what stands here is in the API, its document, the command, the console and the record.
// Rules on several options together are in rules.ts; what an option does is the router's or the deliverer's.
import { Type } from "typebox";
import { NAME_FIELDS } from "#audiences";
import {
  DELIVERED_TYPES,
  type DeliveredType,
  formatDuration,
  type JsonObject,
  MAX_RETRY_DELAYS,
  parseDuration,
} from "#contract";
import { nullable } from "../../../http/nullable.ts";
import { asGiven, duration, type Option } from "./option.ts";

const MAX_EVENTS = 1_000;
export const DURATION = "As 90s, 30m, 2h, 1d or in ISO 8601 (PT2H)";
const LIMIT_NOTE =
  "With a limit all calls of the destination meet in one process, whatever `shards` was, so that it holds over all processes; calls that wait already keep their way until they are through.";

const filter: Option<JsonObject | null, "filter"> = {
  schema: Type.Unsafe<JsonObject | null>({
    type: ["object", "null"],
    additionalProperties: true,
    description: `Conditions that a call has to meet to be sent. {path, op, value} on the call, {${NAME_FIELDS.join(" | ")}, where}, and all, any, not of these, with the operators of audiences (docs/use/audiences.md). Deletions are always sent. What the filters of all destinations of a source ask of a call is bounded (docs/use/destinations.md, Limits). null sends all.`,
  }),
  storedAs: "filter",
  shown: { title: "Filter", group: "selection", hint: "None: all calls." },
  store: (given) => (given === null ? null : JSON.stringify(given)),
  show: (stored) => (stored === null ? null : (JSON.parse(stored) as JsonObject)),
};

const retryDelays: Option<string[] | null, "retryDelaysMs"> = {
  schema: nullable<string[]>(
    Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_RETRY_DELAYS,
      description:
        "Waiting times after the first, second, … failed attempt, in any order; the last one repeats until the window is over. Each from the shortest of HOOKLINE_RETRY_DELAYS to 24h; a call may be late by as much as the shortest. Holds for the next decision about calls that wait already. null: the installation's.",
    }),
  ),
  storedAs: "retryDelaysMs",
  shown: {
    title: "Retry delays",
    hint: "As 10s or 5m, one a line; none: the installation's.",
    unset: "as the installation's",
  },
  store: (given) => given?.flatMap((text) => parseDuration(text) ?? []) ?? null,
  show: (stored) => stored?.map((delayMs) => formatDuration(delayMs)) ?? null,
};

export const OPTIONS = {
  callTypes: asGiven(
    "callTypes",
    {
      title: "Call types",
      group: "selection",
      hint: `One a line of ${DELIVERED_TYPES.join(", ")}; none: all of them.`,
      unset: "all",
    },
    nullable<string[]>(
      Type.Array(Type.Unsafe<DeliveredType>({ type: "string", enum: [...DELIVERED_TYPES] }), {
        minItems: 1,
        uniqueItems: true,
        description: "Call types that are sent. null sends all.",
      }),
    ),
  ),
  events: asGiven(
    "events",
    {
      title: "Events",
      group: "selection",
      hint: "Names of track calls, one a line; none: all.",
      unset: "all",
    },
    nullable<string[]>(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        minItems: 1,
        maxItems: MAX_EVENTS,
        uniqueItems: true,
        description:
          "Names of the track calls that are sent. null sends all. Calls of other types are not affected.",
      }),
    ),
  ),
  filter,
  maxRequestsPerSecond: asGiven(
    "maxRequestsPerSecond",
    { title: "Requests a second", hint: "None: no limit.", unset: "no limit" },
    nullable<number>(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 1_000_000,
        description: `Requests that are begun within a second, to all webhooks together; more wait. ${LIMIT_NOTE} null: no limit.`,
      }),
    ),
  ),
  maxInFlight: asGiven(
    "maxInFlight",
    { title: "Requests in flight", hint: "None: what the endpoint takes.", unset: "no limit" },
    nullable<number>(
      Type.Integer({
        minimum: 1,
        maximum: 10_000,
        description: `Requests under way at a time; more wait. ${LIMIT_NOTE} null leaves it to what the endpoint takes.`,
      }),
    ),
  ),
  shards: asGiven(
    "shardWidth",
    { title: "Shards", hint: "None: the default, 4.", unset: "by default" },
    nullable<number>(
      Type.Integer({
        minimum: 1,
        description:
          "Over how many partitions, and so at most how many processes, the calls are spread, 4 by default; one user's calls stay on one. At most the number of partitions; 1 or null with a limit. null: the default. After a change a user's newer calls may overtake older ones that are still under way.",
      }),
    ),
  ),
  disableAfter: duration(
    "disableAfterMs",
    { title: "Switched off after failing for", hint: "As 3d; none: never.", unset: "never" },
    `Switches the destination off when every attempt has failed for this long. ${DURATION}; null never does.`,
    1_000,
  ),
  retryDelays,
  retryWindow: duration(
    "retryWindowMs",
    { title: "Retry window", hint: "As 4h; none: the installation's.", unset: "as the installation's" },
    "How long a call is retried, from its first attempt: up to 24h. null: HOOKLINE_RETRY_WINDOW.",
  ),
  standardWebhooks: asGiven(
    "standardWebhooks",
    { title: "Standard Webhooks headers" },
    Type.Unsafe<boolean>({
      type: "boolean",
      description:
        "Adds the headers webhook-id, webhook-timestamp and, with a shared secret, webhook-signature beside X-Signature (Standard Webhooks 1.0.0). A secret that begins with whsec_ is read as base64.",
    }),
  ),
};
