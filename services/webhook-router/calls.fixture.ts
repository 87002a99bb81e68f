// Calls and destinations for tests.
import { type Call, DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";

let made = 0;

/** A track call of source `shop` with a messageId of its own. */
export function call(changes: Partial<Call> = {}): Call {
  made += 1;
  const messageId = changes.messageId ?? `message-${made}`;
  return {
    messageId,
    sourceId: "shop",
    type: "track",
    userId: "u1",
    anonymousId: null,
    event: "Order Completed",
    integrations: {},
    timestampMs: 1_700_000_000_000,
    receivedAtMs: Date.now(),
    body: Buffer.from(JSON.stringify({ type: "track", userId: "u1", messageId })),
    ...changes,
  };
}

/** An enabled destination of source `shop`. */
export function destination(id: string, changes: Partial<DestinationConfig> = {}): DestinationConfig {
  return {
    id,
    name: id,
    enabled: true,
    sourceIds: ["shop"],
    ...DESTINATION_DEFAULTS,
    webhooks: [{ url: "http://127.0.0.1:9/hook", headers: [] }],
    version: 1,
    createdAtMs: 0,
    updatedAtMs: 0,
    ...changes,
  };
}
