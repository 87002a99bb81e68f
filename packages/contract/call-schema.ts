// The shape of a call (contract 1.5, 7.4), as JSON schemas. `rejection` is a keyword of ours: the code and
// the message for a failure of the subschema that it stands in.
import type { CallType } from "./call-types.ts";
import { MAX_MESSAGE_ID_CHARACTERS } from "./limits.ts";
import type { Rejection, RejectionCode } from "./reasons/rejections.ts";

/** The format of a string without half of a surrogate pair. */
export const WELL_FORMED = "well-formed";

interface Schema {
  readonly rejection?: Rejection;
  readonly [keyword: string]: unknown;
}

const rejection = (code: RejectionCode, message: string): { rejection: Rejection } => ({
  rejection: { code, message },
});

/** A field that may be left out, null or a string. Some SDKs send the id that they don't have as null. */
function text(field: string, code: RejectionCode): Record<string, Schema> {
  return { [field]: { type: ["string", "null"], ...rejection(code, `${field} must be a string`) } };
}

/** A text without halves of surrogate pairs: Kafka's UTF-8 has none, and ids that differ only in them would become one. */
function id(field: string, ...more: readonly Schema[]): Record<string, Schema> {
  const cut = rejection("id_not_string", `${field} must be well-formed Unicode, is cut within a character`);
  const whole: Schema = { format: WELL_FORMED, ...cut };
  return { [field]: { ...text(field, "id_not_string")[field], allOf: [whole, ...more] } };
}

function object(field: string, code: RejectionCode): Record<string, Schema> {
  return { [field]: { type: ["object", "null"], ...rejection(code, `${field} must be an object`) } };
}

/** The field is there, not null and not empty; its type is another rule's business, so that a number is not called missing. */
const present = (field: string, refused: { rejection: Rejection }): Schema => ({
  required: [field],
  properties: { [field]: { not: { enum: [null, ""] }, ...refused } },
  ...refused,
});

function anyId(type: CallType): Schema {
  const refused = rejection("no_user_anon_id", `${type} needs userId or anonymousId`);
  return { anyOf: [present("userId", refused), present("anonymousId", refused)], ...refused };
}

const needsId = (type: CallType, field: string): Schema =>
  present(field, rejection("id_required", `${type} needs ${field}`));

const COMMON_FIELDS: Record<string, Schema> = {
  ...id("userId"),
  ...id("anonymousId"),
  ...object("context", "context_not_object"),
  ...id("messageId", {
    maxLength: MAX_MESSAGE_ID_CHARACTERS,
    ...rejection(
      "message_id_too_long",
      `messageId must have at most ${MAX_MESSAGE_ID_CHARACTERS} characters`,
    ),
  }),
  integrations: {
    ...rejection("integrations_invalid", "integrations must be an object of destination name to boolean"),
    type: ["object", "null"],
    additionalProperties: {
      type: ["boolean", "object", "null"],
      ...rejection(
        "integrations_invalid",
        "integrations must hold true, false or an object for each destination",
      ),
    },
  },
};

const EVENT = present("event", rejection("event_not_defined", "track needs event"));
const NAME = text("name", "name_not_string");
const PROPERTIES = object("properties", "properties_not_object");
const TRAITS = object("traits", "traits_not_object");

const schema = (needs: Schema[], fields: Record<string, Schema>): Schema => ({
  type: "object",
  allOf: needs,
  properties: { ...COMMON_FIELDS, ...fields },
});

export const CALL_SCHEMAS: Readonly<Record<CallType, Schema>> = {
  track: schema([EVENT, anyId("track")], { ...text("event", "event_not_string"), ...PROPERTIES }),
  page: schema([anyId("page")], { ...NAME, ...PROPERTIES }),
  screen: schema([anyId("screen")], { ...NAME, ...PROPERTIES }),
  identify: schema([anyId("identify")], TRAITS),
  group: schema([needsId("group", "groupId"), anyId("group")], {
    ...id("groupId"),
    ...TRAITS,
  }),
  alias: schema([needsId("alias", "previousId"), needsId("alias", "userId")], id("previousId")),
};

/** The keys that a batch gives to each of its calls (contract 7.1). */
export const BATCH_ROOT_SCHEMA: Schema = {
  type: "object",
  properties: {
    context: COMMON_FIELDS["context"],
    integrations: COMMON_FIELDS["integrations"],
  },
};
