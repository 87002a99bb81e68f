/** Codes of contract 7.4, then those for faults it has no code for. A closed list: it is also a metric label. */
export const REJECTION_CODES = [
  "no_user_anon_id",
  "event_not_defined",
  "event_not_string",
  "properties_not_object",
  "traits_not_object",
  "name_not_string",
  "id_required",
  "id_not_string",
  "invalid_type",
  "message_too_large",
  "too_many_messages",
  "empty_batch",
  "unknown_source",
  "source_disabled",
  "invalid_json",
  "invalid_encoding",
  "not_an_object",
  "nested_too_deep",
  "message_id_too_long",
  "context_not_object",
  "integrations_invalid",
] as const;

export type RejectionCode = (typeof REJECTION_CODES)[number];

/** Why a call or a whole request is refused for good: what and where, for the caller's developers (contract 7.3). */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
}
