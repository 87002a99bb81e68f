/** The call types that a caller can send (contract 1.1). */
export const CALL_TYPES = ["track", "page", "screen", "identify", "group", "alias"] as const;

export type CallType = (typeof CALL_TYPES)[number];

/** What a webhook can receive: `delete` is made by a deletion request, never sent by a caller (contract 1.1, 5.1). */
export type DeliveredType = CallType | "delete";

const KNOWN: ReadonlySet<unknown> = new Set(CALL_TYPES);

export function isCallType(value: unknown): value is CallType {
  return KNOWN.has(value);
}
