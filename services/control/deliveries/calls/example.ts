// A call that failed at one of two destinations, as the API's document shows it.
import { webhookFields } from "../../http/webhook-fields.ts";

const DESTINATION_ID = "dst_41b0c6d29e8f7a53";
const WEBHOOK = webhookFields(DESTINATION_ID, "https://example.com/hook");

export const CALL_EXAMPLE = {
  messageId: "5d1c2f0e-order",
  sourceId: "src_5f1c0a9be2d47731",
  userId: "u1",
  anonymousId: null,
  type: "track",
  receivedAt: "2026-11-02T09:30:00.120Z",
  accepted: [
    {
      acceptedAt: "2026-11-02T09:30:00.120Z",
      outcome: "routed",
      destinationIds: [DESTINATION_ID],
    },
  ],
  destinations: [
    {
      destinationId: DESTINATION_ID,
      name: "Warehouse",
      state: "waiting",
      passedOver: null,
      next: [
        {
          state: "waiting",
          waitsIn: "delivery-retry-10s",
          nextAttemptAt: "2026-11-02T09:30:10.180Z",
          attempts: 1,
          diverts: 0,
          firstAttemptAt: "2026-11-02T09:30:00.140Z",
          replayId: null,
          webhooks: [
            {
              ...WEBHOOK,
              kind: "retryable",
              reason: "http_5xx",
              status: 503,
              error: "HTTP 503",
              at: "2026-11-02T09:30:00.180Z",
              durationMs: 40,
            },
          ],
        },
      ],
      attempts: [
        {
          startedAt: "2026-11-02T09:30:00.140Z",
          messageId: "5d1c2f0e-order",
          sourceId: "src_5f1c0a9be2d47731",
          userId: "u1",
          anonymousId: null,
          type: "track",
          ...WEBHOOK,
          attempt: 1,
          outcome: "http_5xx",
          retryable: true,
          status: 503,
          durationMs: 40,
          error: "HTTP 503",
          response: { headers: { "retry-after": "10" }, body: "no room" },
          connection: { address: "192.0.2.1", dnsMs: 2, connectMs: 9, tlsMs: 12, waitMs: 17 },
          replayId: null,
          suppressed: 0,
        },
      ],
      deadLetters: [],
      sendAgain: null,
    },
    {
      destinationId: "dst_9c35aa01d7e2440b",
      name: "Large orders",
      state: "passed_over",
      passedOver: "filter_off",
      next: [],
      attempts: [],
      deadLetters: [],
      sendAgain: null,
    },
  ],
  others: [],
  isComplete: true,
  indexedUntil: "2026-11-02T09:30:03.000Z",
};

const { destinations, sourceId, userId, anonymousId, messageId } = CALL_EXAMPLE;
const BODY = { type: "track", userId: "u1", event: "Order Completed" };
const BODY_TEXT = JSON.stringify(BODY);

/** The same call at the first of them. */
export const SENT_CALL_EXAMPLE = {
  ...{ messageId, sourceId, userId, anonymousId },
  ...destinations[0],
  body: BODY,
  bodyText: BODY_TEXT,
  noBody: null,
  requests: [
    {
      ...WEBHOOK,
      sentAt: "2026-11-02T09:30:00.130Z",
      isAsSent: true,
      headers: { "User-Agent": "Hookline/1.0", "Content-Type": "application/json" },
      curl: `BODY='${BODY_TEXT}' &&\ncurl -sS -i --globoff -X POST 'https://example.com/hook' …`,
    },
  ],
};
