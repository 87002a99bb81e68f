/** Why a call was not accepted. */
export type Refusal =
  /** A field is missing or has the wrong type. */
  | "field_wrong"
  /** It holds itself, a BigInt, or something else that JSON.stringify refuses. */
  | "not_json"
  /** It has more than 32 KB as JSON. */
  | "message_too_large"
  /** It nests more than 64 levels deep. */
  | "nested_too_deep"
  /** Too much is accepted and not delivered yet; see `room`. */
  | "queue_full"
  /** The client is closed. */
  | "closed";

/**
 * What a call returns. Accepted means: delivered, or handed to `onError` exactly once, or left in the store. Refused means that the
 * message is not sent; `message` says why, for people.
 */
export type Acceptance =
  | { readonly ok: true; readonly messageId: string }
  | { readonly ok: false; readonly reason: Refusal; readonly message: string };

export function refused(reason: Refusal, message: string): Extract<Acceptance, { ok: false }> {
  return { ok: false, reason, message: `hookline: ${message}` };
}
