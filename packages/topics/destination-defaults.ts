import type { DestinationConfig } from "./records.generated.ts";

/** The options of a destination that nobody has set (contract 4.4, 4.5, 2.3). */
export const DESTINATION_DEFAULTS = {
  labels: {},
  callTypes: null,
  events: null,
  filter: null,
  maxRequestsPerSecond: null,
  maxInFlight: null,
  shardWidth: null,
  disableAfterMs: null,
  disabledReason: null,
  enabledAtMs: null,
  pausedAtMs: null,
  pauseLimitMs: null,
  pausedMs: 0,
  retryAtMs: null,
  retryDelaysMs: null,
  retryWindowMs: null,
  standardWebhooks: false,
  sharedSecret: null,
  previousSecret: null,
  previousSecretUntilMs: null,
} as const satisfies Partial<DestinationConfig>;
