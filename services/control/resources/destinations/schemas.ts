import { type Static, Type } from "typebox";
import { MAX_WEBHOOKS } from "#contract";
import { MASK } from "#secrets";
import { IdField, NameField, TimeField } from "../../http/fields.ts";
import { LabelsField, LabelsPatchField } from "../../http/labels.ts";
import { nullable } from "../../http/nullable.ts";
import { SHOWN_URL } from "../../http/shown-url.ts";
import { DESTINATION_EXAMPLE } from "./example.ts";
import { BreakerView } from "./health/breaker-view.ts";
import { HealthView } from "./health/view.ts";
import { OPTION_FIELDS, OPTIONAL_FIELDS } from "./options/patch.ts";
import { DURATION } from "./options/table.ts";
import { PauseView } from "./pause.ts";
import { RetryView } from "./retry-view.ts";

const MAX_SOURCES = 1_000;
const MAX_SECRET_CHARACTERS = 1_024;

const SourceIds = Type.Array(Type.String(), {
  maxItems: MAX_SOURCES,
  uniqueItems: true,
  description:
    "Sources whose calls are sent. Each must exist; spa_default, the source of audiences and computed traits, always does. A source has at most 1,000 destinations (docs/use/destinations.md, Limits).",
});
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

const PreviousSecretValidFor = Type.String({
  description: `How long the secret until now signs too, from this change; only with \`standardWebhooks\`. ${DURATION}; 24h when a new \`sharedSecret\` is given without it, 0s ends it at once.`,
});

export const CreateDestinationBody = Type.Object(
  {
    name: NameField,
    sourceIds: SourceIds,
    enabled: Type.Optional(Enabled),
    labels: Type.Optional(LabelsField),
    sharedSecret: Type.Optional(SharedSecret),
    webhooks: Webhooks,
    ...OPTIONAL_FIELDS,
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
    ...OPTIONAL_FIELDS,
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
    ...OPTION_FIELDS,
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
