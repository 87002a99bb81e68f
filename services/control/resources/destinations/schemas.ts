import { type Static, type TSchema, Type } from "typebox";
import { NAME_FIELDS } from "#audiences";
import { CALL_TYPES, type DeliveredType, type JsonObject, MAX_RETRY_DELAYS, MAX_WEBHOOKS } from "#contract";
import { MASK } from "#secrets";
import { IdField, NameField, TimeField } from "../../http/fields.ts";
import { LabelsField, LabelsPatchField } from "../../http/labels.ts";
import { SHOWN_URL } from "../../http/shown-url.ts";
import { DESTINATION_EXAMPLE } from "./example.ts";
import { BreakerView } from "./health/breaker-view.ts";
import { HealthView } from "./health/view.ts";
import { PauseView } from "./pause.ts";
import { RetryView } from "./retry-view.ts";

const MAX_SOURCES = 1_000;
const MAX_SECRET_CHARACTERS = 1_024;
const DELIVERED_TYPES: readonly DeliveredType[] = [...CALL_TYPES, "delete"];

/** One type for the value and null: of a union of two schemas ajv reports both branches. */
function nullable<T>(schema: TSchema & { readonly type: string }) {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type, "null"] });
}

const MAX_EVENTS = 1_000;
const DURATION = "As 90s, 30m, 2h, 1d or in ISO 8601 (PT2H)";

const SourceIds = Type.Array(Type.String(), {
  maxItems: MAX_SOURCES,
  uniqueItems: true,
  description:
    "Sources whose calls are sent. Each must exist; spa_default, the source of audiences and computed traits, always does. A source has at most 1,000 destinations (docs/use/destinations.md, Limits).",
});
const CallTypes = nullable<DeliveredType[]>(
  Type.Array(Type.Unsafe<DeliveredType>({ type: "string", enum: DELIVERED_TYPES }), {
    minItems: 1,
    uniqueItems: true,
    description: "Call types that are sent; null sends all.",
  }),
);
const SharedSecret = nullable<string>(
  Type.String({
    minLength: 1,
    maxLength: MAX_SECRET_CHARACTERS,
    description: "Key of X-Signature. Can be written, never read; null removes it.",
  }),
);
const Enabled = Type.Boolean({ description: "Off until it is switched on." });
/** So that webhooks that were read can be changed and sent back. */
const ReadOnly = Type.Unsafe<unknown>({
  description: "As answers have it. Not looked at when it is sent back.",
  readOnly: true,
});
const Webhooks = Type.Array(
  Type.Object(
    {
      url: Type.String({ format: "uri", description: "http or https, without credentials." }),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: `Static headers of every request. Values can be written, never read: answers show ${MASK}, which keeps the value when it is sent back for the same header of the same URL.`,
        }),
      ),
      id: Type.Optional(ReadOnly),
      maskedUrl: Type.Optional(ReadOnly),
      breaker: Type.Optional(ReadOnly),
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: MAX_WEBHOOKS,
    description: "A call goes to all of them at once; the first success ends it.",
  },
);

const Events = nullable<string[]>(
  Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    minItems: 1,
    maxItems: MAX_EVENTS,
    uniqueItems: true,
    description:
      "Names of the track calls that are sent; null sends all. Calls of other types are not affected.",
  }),
);
const Filter = Type.Unsafe<JsonObject | null>({
  type: ["object", "null"],
  additionalProperties: true,
  description: `Conditions that a call has to meet to be sent: {path, op, value} on the call, {${NAME_FIELDS.join(" | ")}, where}, and all, any, not of these, with the operators of audiences (docs/use/audiences.md). Deletions are always sent. What the filters of all destinations of a source ask of a call is bounded (docs/use/destinations.md, Limits). null sends all.`,
});
const LIMIT_NOTE =
  "With a limit all calls of the destination meet in one process, whatever `shards` was, so that it holds over all processes; calls that wait already keep their way until they are through.";
const MaxRequestsPerSecond = nullable<number>(
  Type.Number({
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    description: `Requests that are begun within a second, to all webhooks together; more wait. ${LIMIT_NOTE} null: no limit.`,
  }),
);
const MaxInFlight = nullable<number>(
  Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: `Requests under way at a time. ${LIMIT_NOTE} null leaves it to what the endpoint takes.`,
  }),
);
const Shards = nullable<number>(
  Type.Integer({
    minimum: 1,
    description:
      "Over how many partitions, and so at most how many processes, the calls are spread; one user's calls stay on one. At most the number of partitions; 1 or null with a limit. null: the default, 4. After a change a user's newer calls may overtake older ones that are still under way.",
  }),
);
const DisableAfter = nullable<string>(
  Type.String({
    description: `Switches the destination off when every attempt has failed for this long. ${DURATION}; null never does.`,
  }),
);
const RetryDelays = nullable<string[]>(
  Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_RETRY_DELAYS,
    description:
      "Waiting times after the first, second, … failed attempt, in any order; the last one repeats until the window is over. Each from the shortest of HOOKLINE_RETRY_DELAYS to 24h; a call may be late by as much as the shortest. Holds for the next decision about calls that wait already. null: the installation's.",
  }),
);
const RetryWindow = nullable<string>(
  Type.String({
    description:
      "How long a call is retried, from its first attempt: up to 24h. null: HOOKLINE_RETRY_WINDOW.",
  }),
);
const StandardWebhooks = Type.Boolean({
  description:
    "Adds the headers webhook-id, webhook-timestamp and, with a shared secret, webhook-signature (Standard Webhooks 1.0.0) beside X-Signature. A secret that begins with whsec_ is read as base64.",
});
const PreviousSecretValidFor = Type.String({
  description: `How long the secret until now signs too, from this change; only with \`standardWebhooks\`. ${DURATION}; 24h when a new \`sharedSecret\` is given without it, 0s ends it at once.`,
});

/** Contract 2.3, 4.4, 4.5. */
const OPTIONS = {
  events: Type.Optional(Events),
  filter: Type.Optional(Filter),
  maxRequestsPerSecond: Type.Optional(MaxRequestsPerSecond),
  maxInFlight: Type.Optional(MaxInFlight),
  shards: Type.Optional(Shards),
  disableAfter: Type.Optional(DisableAfter),
  retryDelays: Type.Optional(RetryDelays),
  retryWindow: Type.Optional(RetryWindow),
  standardWebhooks: Type.Optional(StandardWebhooks),
};

export const CreateDestinationBody = Type.Object(
  {
    name: NameField,
    sourceIds: SourceIds,
    enabled: Type.Optional(Enabled),
    labels: Type.Optional(LabelsField),
    sharedSecret: Type.Optional(SharedSecret),
    webhooks: Webhooks,
    callTypes: Type.Optional(CallTypes),
    ...OPTIONS,
  },
  {
    additionalProperties: false,
    title: "NewDestination",
    examples: [
      {
        name: "Warehouse",
        sourceIds: ["shop"],
        enabled: true,
        sharedSecret: "a-key-of-X-Signature",
        webhooks: [{ url: "https://example.com/hook" }],
        callTypes: ["track"],
        maxRequestsPerSecond: 50,
      },
    ],
  },
);

export const PatchDestinationBody = Type.Object(
  {
    name: Type.Optional(NameField),
    sourceIds: Type.Optional(SourceIds),
    enabled: Type.Optional(Enabled),
    labels: Type.Optional(LabelsPatchField),
    sharedSecret: Type.Optional(SharedSecret),
    webhooks: Type.Optional(Webhooks),
    callTypes: Type.Optional(CallTypes),
    ...OPTIONS,
    previousSecretValidFor: Type.Optional(PreviousSecretValidFor),
  },
  {
    additionalProperties: false,
    title: "DestinationPatch",
    description: "A JSON merge patch (RFC 7396): what is not named stays, lists are replaced as a whole.",
    examples: [{ enabled: false }],
  },
);

export const DestinationView = Type.Object(
  {
    id: IdField,
    name: NameField,
    enabled: Enabled,
    labels: LabelsField,
    sourceIds: Type.Array(Type.String()),
    callTypes: CallTypes,
    events: Events,
    filter: Filter,
    maxRequestsPerSecond: MaxRequestsPerSecond,
    maxInFlight: MaxInFlight,
    shards: Shards,
    disableAfter: DisableAfter,
    retryDelays: RetryDelays,
    retryWindow: RetryWindow,
    disabledReason: nullable<string>(
      Type.String({
        description: "Why `disableAfter` switched it off; null when a person did, or it is on.",
      }),
    ),
    paused: Type.Unsafe<Static<typeof PauseView> | null>({
      anyOf: [PauseView, { type: "null" }],
      description: "null while it is not paused.",
    }),
    retry: Type.Unsafe<Static<typeof RetryView> | null>({
      anyOf: [RetryView, { type: "null" }],
      description: "The last retry or resume within 72 hours.",
    }),
    standardWebhooks: StandardWebhooks,
    previousSecretValidUntil: nullable<string>(
      Type.String({ format: "date-time", description: "The secret before signs too until then." }),
    ),
    sharedSecretSet: Type.Boolean({ description: "Requests are signed." }),
    webhooks: Type.Array(
      Type.Object({
        id: Type.String({
          description:
            "Made of the destination and the URL: the same whatever happens to the other webhooks. With another URL it is another webhook. Attempts, dead letters and health name it so.",
        }),
        url: Type.String({ format: "uri" }),
        maskedUrl: Type.String({ description: `As it is shown elsewhere. ${SHOWN_URL}` }),
        headers: Type.Record(Type.String(), Type.String(), {
          description: `Every value is shown as ${MASK}.`,
        }),
        breaker: BreakerView,
      }),
    ),
    health: HealthView,
    warnings: Type.Optional(
      Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
        description: "What is allowed and will fail, by field; not there when there is nothing to warn of.",
      }),
    ),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  {
    title: "Destination",
    description: "The destination, its secrets masked.",
    examples: [DESTINATION_EXAMPLE],
  },
);
