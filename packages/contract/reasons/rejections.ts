// Why a call or a whole request is refused for good: codes of contract 7.4, then those for faults that it has no code for.
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_CALLS,
  MAX_CALL_BYTES,
  MAX_CALL_DEPTH,
  MAX_MESSAGE_ID_CHARACTERS,
} from "../limits.ts";
import { type Reasons, reasonsOf } from "./reason.ts";

export type RejectionCode =
  | "no_user_anon_id"
  | "event_not_defined"
  | "event_not_string"
  | "properties_not_object"
  | "traits_not_object"
  | "name_not_string"
  | "id_required"
  | "id_not_string"
  | "invalid_type"
  | "message_too_large"
  | "too_many_messages"
  | "empty_batch"
  | "unknown_source"
  | "source_disabled"
  | "invalid_json"
  | "invalid_encoding"
  | "not_an_object"
  | "nested_too_deep"
  | "number_out_of_range"
  | "message_id_too_long"
  | "context_not_object"
  | "integrations_invalid";

export const REJECTIONS: Reasons<RejectionCode> = {
  no_user_anon_id: { meaning: "the call has neither userId nor anonymousId", action: "give one" },
  event_not_defined: { meaning: "a track call has no event", action: "name the event" },
  event_not_string: { meaning: "the event is no text", action: "give a text" },
  properties_not_object: { meaning: "properties are no object", action: "give an object" },
  traits_not_object: { meaning: "traits are no object", action: "give an object" },
  name_not_string: { meaning: "the name of a page or screen is no text", action: "give a text" },
  id_required: {
    meaning: "an id that this type of call needs is missing: groupId, or userId and previousId of an alias",
    action: "give it",
  },
  id_not_string: { meaning: "an id is no well-formed text", action: "give a text" },
  invalid_type: { meaning: "the type is none of the call types", action: "give one of them" },
  message_too_large: {
    meaning: `a call has more than ${MAX_CALL_BYTES} bytes, or a batch more than ${MAX_BATCH_BYTES}, decompressed`,
    action: "send smaller calls, or fewer in a batch",
  },
  too_many_messages: {
    meaning: `a batch has more than ${MAX_BATCH_CALLS} calls`,
    action: "send smaller batches",
  },
  empty_batch: { meaning: "a batch has no call", action: "send batches with calls only" },
  unknown_source: {
    meaning: "the write key is missing, or belongs to no source",
    action: "use a write key of the source, which the control API shows",
  },
  source_disabled: { meaning: "the source is switched off", action: "switch it on over the control API" },
  invalid_json: { meaning: "the body is no JSON", action: "send JSON in UTF-8" },
  invalid_encoding: {
    meaning: "the body's compression is unknown or broken",
    action: "send gzip or no compression, and the Content-Encoding that fits",
  },
  not_an_object: { meaning: "a call, or the body, is no JSON object", action: "send an object" },
  nested_too_deep: {
    meaning: `a call nests more than ${MAX_CALL_DEPTH} levels deep`,
    action: "nest less",
  },
  number_out_of_range: {
    meaning: "a number is beyond what a double holds, and would be delivered as null",
    action: "give a smaller one, or a text",
  },
  message_id_too_long: {
    meaning: `the messageId has more than ${MAX_MESSAGE_ID_CHARACTERS} characters`,
    action: "give a shorter one, or none",
  },
  context_not_object: { meaning: "the context is no object", action: "give an object" },
  integrations_invalid: {
    meaning: "integrations are no object of booleans and objects",
    action: "give such an object",
  },
};

export const REJECTION_CODES = reasonsOf(REJECTIONS);

/** With the one that is no fault of a call. */
export const REFUSAL_CODES = [...REJECTION_CODES, "rate_limited"] as const;

/** Why a call or a whole request is refused for good: what and where, for the caller's developers (contract 7.3). */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
}
