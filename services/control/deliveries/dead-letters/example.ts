// A call that its webhook has refused, as the API's document shows it.
import { webhookFields } from "../../http/webhook-fields.ts";

const DESTINATION_ID = "dst_41b0c6d29e8f7a53";
const LISTED = {
  id: "7d0a1f7c3b9e4d52",
  deadAt: "2026-11-02T09:30:00.180Z",
  reason: "permanent",
  message: "no webhook can be retried",
  destinationId: DESTINATION_ID,
  sourceId: "src_5f1c0a9be2d47731",
  messageId: "5d1c2f0e-order",
  userId: "u1",
  anonymousId: null,
  type: "track",
  receivedAt: "2026-11-02T09:30:00.120Z",
  attempts: 1,
  replayId: null,
  replayable: true,
  issueIds: ["iss_9c1f0b7a52d86e43"],
  replayIds: [],
};
const BODY = { type: "track", userId: "u1", event: "Order Completed" };

export const DEAD_LETTER_EXAMPLE = LISTED;
export const WHOLE_DEAD_LETTER_EXAMPLE = {
  ...LISTED,
  firstAttemptAt: "2026-11-02T09:30:00.140Z",
  origin: "delivery-jobs-3-1042",
  webhooks: [
    {
      ...webhookFields(DESTINATION_ID, "https://example.com/hook"),
      kind: "permanent",
      reason: "http_4xx",
      status: 410,
      error: "HTTP 410",
      at: "2026-11-02T09:30:00.180Z",
      durationMs: 40,
    },
  ],
  body: BODY,
  bodyText: JSON.stringify(BODY),
  bodyBase64: null,
  noBody: null,
};
