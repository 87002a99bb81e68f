import { type TSchema, Type } from "typebox";
import { CALL_TYPES, type DeliveredType, MAX_WEBHOOKS } from "#contract";
import { IdField, NameField, TimeField } from "../http/fields.ts";
import { MASK } from "./secrets.ts";

const MAX_SOURCES = 1_000;
const MAX_SECRET_CHARACTERS = 1_024;
const DELIVERED_TYPES: readonly DeliveredType[] = [...CALL_TYPES, "delete"];

/** One type for the value and null: of a union of two schemas ajv reports both branches. */
function nullable<T>(schema: TSchema & { readonly type: string }) {
  return Type.Unsafe<T | null>({ ...schema, type: [schema.type, "null"] });
}

const SourceIds = Type.Array(Type.String(), {
  maxItems: MAX_SOURCES,
  uniqueItems: true,
  description: "Sources whose calls are sent. Each must exist.",
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
const Webhooks = Type.Array(
  Type.Object(
    {
      url: Type.String({ format: "uri", description: "http or https, without credentials." }),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: `Static headers of every request. Values can be written, never read: answers show ${MASK}, which keeps the value when it is sent back for the same header of the same URL.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  {
    minItems: 1,
    maxItems: MAX_WEBHOOKS,
    description: "A call goes to all of them at once; the first success ends it.",
  },
);

export const CreateDestinationBody = Type.Object(
  {
    name: NameField,
    sourceIds: SourceIds,
    enabled: Type.Optional(Enabled),
    sharedSecret: Type.Optional(SharedSecret),
    webhooks: Webhooks,
    callTypes: Type.Optional(CallTypes),
  },
  { additionalProperties: false },
);

export const PatchDestinationBody = Type.Object(
  {
    name: Type.Optional(NameField),
    sourceIds: Type.Optional(SourceIds),
    enabled: Type.Optional(Enabled),
    sharedSecret: Type.Optional(SharedSecret),
    webhooks: Type.Optional(Webhooks),
    callTypes: Type.Optional(CallTypes),
  },
  {
    additionalProperties: false,
    description: "A JSON merge patch (RFC 7396): what is not named stays, lists are replaced as a whole.",
  },
);

export const DestinationView = Type.Object(
  {
    id: IdField,
    name: NameField,
    enabled: Enabled,
    sourceIds: Type.Array(Type.String()),
    callTypes: CallTypes,
    sharedSecretSet: Type.Boolean({ description: "Requests are signed." }),
    webhooks: Type.Array(
      Type.Object({
        url: Type.String({ format: "uri" }),
        headers: Type.Record(Type.String(), Type.String(), {
          description: `Every value is shown as ${MASK}.`,
        }),
      }),
    ),
    createdAt: TimeField,
    updatedAt: TimeField,
  },
  { description: "The destination, its secrets masked." },
);
