const TIMESTAMP = "2012-12-02T00:30:08.276Z";
const PAGE = { path: "/", referrer: "", title: "Home", url: "https://example.com/" };
const TRAITS = { name: "Ada", age: 36, tags: ["a", null], nested: { yes: true } };
const context = { ip: "8.8.8.8", page: { title: "Café <&>" } };

/** One call and the delivered body that the contract writes down for it. */
export interface ExpectedDelivery {
  readonly type: string;
  readonly call: (messageId: string) => object;
  /** The fields in the contract's order (2.4); `receivedAt` is ingest's clock. */
  readonly body: (messageId: string, receivedAt: unknown) => object;
}

/** What follows the contract's own fields when it is known. */
function known(messageId: string, receivedAt: unknown): object {
  return { messageId, originalTimestamp: TIMESTAMP, receivedAt };
}

/** Every call type of the HTTP API, each with every field that the contract names (2.4). */
export const EVERY_CALL_TYPE: readonly ExpectedDelivery[] = [
  {
    type: "page",
    call: (messageId) => ({
      messageId,
      userId: "u1",
      name: "Home",
      category: "Docs",
      properties: PAGE,
      timestamp: TIMESTAMP,
      context,
    }),
    body: (messageId, receivedAt) => ({
      version: 1,
      type: "page",
      userId: "u1",
      properties: PAGE,
      timestamp: TIMESTAMP,
      context,
      name: "Home",
      category: "Docs",
      ...known(messageId, receivedAt),
    }),
  },
  {
    type: "screen",
    call: (messageId) => ({
      messageId,
      userId: "u1",
      anonymousId: "a1",
      name: "Main",
      properties: { depth: 1.5 },
      timestamp: TIMESTAMP,
    }),
    body: (messageId, receivedAt) => ({
      version: 1,
      type: "screen",
      userId: "u1",
      name: "Main",
      timestamp: TIMESTAMP,
      context: {},
      anonymousId: "a1",
      properties: { depth: 1.5 },
      ...known(messageId, receivedAt),
    }),
  },
  {
    type: "identify",
    call: (messageId) => ({
      messageId,
      userId: "u1",
      traits: TRAITS,
      timestamp: TIMESTAMP,
    }),
    body: (messageId, receivedAt) => ({
      version: 1,
      type: "identify",
      userId: "u1",
      traits: TRAITS,
      timestamp: TIMESTAMP,
      context: {},
      ...known(messageId, receivedAt),
    }),
  },
  {
    type: "track",
    call: (messageId) => ({
      messageId,
      writeKey: "never delivered",
      userId: "u1",
      event: "Order Completed",
      properties: { total: 12.5, currency: "€" },
      timestamp: TIMESTAMP,
      extra: "kept",
    }),
    body: (messageId, receivedAt) => ({
      version: 1,
      type: "track",
      userId: "u1",
      event: "Order Completed",
      properties: { total: 12.5, currency: "€" },
      timestamp: TIMESTAMP,
      context: {},
      ...known(messageId, receivedAt),
      extra: "kept",
    }),
  },
  {
    type: "alias",
    call: (messageId) => ({ messageId, userId: "u1", previousId: "a1", timestamp: TIMESTAMP }),
    body: (messageId, receivedAt) => ({
      version: 1,
      type: "alias",
      timestamp: TIMESTAMP,
      "Previous ID": "a1",
      "User ID": "u1",
      context: {},
      previousId: "a1",
      userId: "u1",
      ...known(messageId, receivedAt),
    }),
  },
  {
    type: "group",
    call: (messageId) => ({
      messageId,
      groupId: "g1",
      userId: "u1",
      traits: { name: "Initech" },
      timestamp: TIMESTAMP,
    }),
    body: (messageId, receivedAt) => ({
      version: 1,
      type: "group",
      groupId: "g1",
      userId: "u1",
      traits: { name: "Initech" },
      timestamp: TIMESTAMP,
      context: {},
      ...known(messageId, receivedAt),
    }),
  },
];
