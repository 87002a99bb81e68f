/**
 * The call types that a caller can send (contract 1.1), and in what code elsewhere tells them apart: the short path of ingest (7.1); whether
 * calls have a name, by which audiences count them; whether they name a second user, in `previousId`.
 */
export const CALLS = {
  track: { shortPath: "t", isNamed: true, hasPreviousId: false },
  page: { shortPath: "p", isNamed: true, hasPreviousId: false },
  screen: { shortPath: "s", isNamed: true, hasPreviousId: false },
  identify: { shortPath: "i", isNamed: false, hasPreviousId: false },
  group: { shortPath: "g", isNamed: false, hasPreviousId: false },
  alias: { shortPath: "a", isNamed: false, hasPreviousId: true },
} as const;

export type CallType = keyof typeof CALLS;
export type NamedCallType = {
  [T in CallType]: (typeof CALLS)[T]["isNamed"] extends true ? T : never;
}[CallType];

export const CALL_TYPES = Object.keys(CALLS) as readonly CallType[];
export const NAMED_CALL_TYPES = CALL_TYPES.filter(isNamedCallType);

/**
 * The types that a webhook can receive. A deletion request makes `delete`; a caller never sends it (contract
 * 1.1, 5.1).
 */
export type DeliveredType = CallType | "delete";
export const DELIVERED_TYPES: readonly DeliveredType[] = [...CALL_TYPES, "delete"];

export function isCallType(value: unknown): value is CallType {
  return typeof value === "string" && Object.hasOwn(CALLS, value);
}

export function isNamedCallType(type: string): type is NamedCallType {
  return isCallType(type) && CALLS[type].isNamed;
}

export function hasPreviousId(type: string | null): boolean {
  return isCallType(type) && CALLS[type].hasPreviousId;
}
