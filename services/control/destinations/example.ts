// A destination that fails, as the API's document shows it.
import { MASK } from "#secrets";

const LAST_ERROR = {
  at: "2026-11-02T09:30:00.180Z",
  url: "https://example.com/hook",
  outcome: "http_5xx",
  status: 503,
  message: "HTTP 503",
};

export const DESTINATION_EXAMPLE = {
  id: "dst_41b0c6d29e8f7a53",
  name: "Warehouse",
  enabled: true,
  labels: { team: "growth" },
  sourceIds: ["src_5f1c0a9be2d47731"],
  callTypes: ["track"],
  events: null,
  filter: { path: "properties.total", op: "gte", value: 100 },
  maxRequestsPerSecond: null,
  maxInFlight: null,
  shards: null,
  disableAfter: null,
  retryDelays: null,
  retryWindow: null,
  disabledReason: null,
  paused: null,
  standardWebhooks: false,
  previousSecretValidUntil: null,
  sharedSecretSet: true,
  webhooks: [{ url: "https://example.com/hook", headers: { "x-team": MASK } }],
  health: {
    state: "failing",
    since: "2026-11-02T09:29:50.000Z",
    consecutiveFailures: 12,
    lastError: LAST_ERROR,
    reasons: [
      {
        url: "https://example.com/hook",
        since: "2026-11-02T09:29:50.000Z",
        consecutiveFailures: 12,
        lastError: LAST_ERROR,
      },
    ],
  },
  createdAt: "2026-11-02T09:00:00.000Z",
  updatedAt: "2026-11-02T09:00:00.000Z",
};
