// What the programs in other runtimes send, in plain JavaScript: one call of each type.

export const EACH_TYPE = ["alias", "group", "identify", "page", "screen", "track"];

/** An expression that sends one call of each type with a client and gives what they returned. */
export const sendEachType = (client: string): string => `[
  ${client}.identify({ userId: "u", traits: { name: "Ada ✓" } }),
  ${client}.track({ userId: "u", event: "E", properties: { total: 12.5 } }),
  ${client}.page({ userId: "u", name: "Home" }),
  ${client}.screen({ anonymousId: "a", name: "Main" }),
  ${client}.group({ userId: "u", groupId: "g" }),
  ${client}.alias({ userId: "u", previousId: "a" }),
]`;
