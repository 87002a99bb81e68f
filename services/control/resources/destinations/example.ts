// A destination that fails, as the API's document shows it.
import { MASK } from "#secrets";
import { DESTINATION_DEFAULTS } from "#topics";
import { webhookFields } from "../../http/webhook-fields.ts";
import { optionsView } from "./options/patch.ts";

const ID = "dst_41b0c6d29e8f7a53";
const WEBHOOK = webhookFields(ID, "https://example.com/hook");

const LAST_ERROR = {
  at: "2026-11-02T09:30:00.180Z",
  ...WEBHOOK,
  outcome: "http_5xx",
  status: 503,
  message: "HTTP 503",
};

export const DESTINATION_EXAMPLE = {
  id: ID,
  name: "Warehouse",
  enabled: true,
  labels: { team: "growth" },
  sourceIds: ["src_5f1c0a9be2d47731"],
  ...optionsView(DESTINATION_DEFAULTS),
  callTypes: ["track"],
  filter: { path: "properties.total", op: "gte", value: 100 },
  disabledReason: null,
  paused: null,
  retry: { askedAt: "2026-11-02T09:31:00.000Z", calls: 12, woken: 12, isDone: true },
  previousSecretValidUntil: null,
  sharedSecretSet: true,
  webhooks: [
    {
      id: WEBHOOK.webhookId,
      url: "https://example.com/hook",
      maskedUrl: WEBHOOK.url,
      headers: { "x-team": MASK },
      breaker: { state: "open", nextProbeAt: "2026-11-02T09:30:04.000Z" },
    },
  ],
  health: {
    state: "failing",
    since: "2026-11-02T09:29:50.000Z",
    consecutiveFailures: 12,
    lastError: LAST_ERROR,
    reasons: [
      {
        ...WEBHOOK,
        since: "2026-11-02T09:29:50.000Z",
        consecutiveFailures: 12,
        lastError: LAST_ERROR,
      },
    ],
  },
  createdAt: "2026-11-02T09:00:00.000Z",
  updatedAt: "2026-11-02T09:00:00.000Z",
};
