// A request to a webhook as the API shows it (contract 10.5).
import { type Static, Type } from "typebox";
import { TimeField } from "../../http/fields.ts";
import { nullableInteger, nullableString } from "../../http/nullable.ts";
import { AttemptOutcomeField } from "../../http/reason-fields.ts";
import { isoTime } from "../../http/time-pages.ts";
import { USER_VIEW } from "../../http/user-fields.ts";
import { WEBHOOK_FIELDS, webhookFields } from "../../http/webhook-fields.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";

const ConnectionView = Type.Object(
  {
    address: nullableString(
      "That was connected to. null when none was, and for an address outside of the public internet that a name led to.",
    ),
    dnsMs: nullableInteger(
      "To find the name's address. null on a connection that was kept from an earlier request.",
    ),
    connectMs: nullableInteger("To connect. null as dnsMs."),
    tlsMs: nullableInteger("For the TLS handshake. null as dnsMs, and without TLS."),
    waitMs: nullableInteger(
      "From the first byte of the request to the status line and headers. null when the request was not sent.",
    ),
  },
  { description: "The connection, and how long each part of the request took, in milliseconds." },
);

const ResponseView = Type.Object(
  {
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        "Of content-type, date, location, retry-after, server, www-authenticate and x-request-id those that came.",
    }),
    body: nullableString("The first 1 KiB of a failure's body; null on success."),
  },
  { description: "What is kept of the response. The destination's secrets are masked in it." },
);

export const AttemptView = Type.Object(
  {
    startedAt: TimeField,
    messageId: Type.String(),
    sourceId: Type.String(),
    ...USER_VIEW,
    type: Type.String({ description: "Of the call." }),
    ...WEBHOOK_FIELDS,
    attempt: Type.Integer({ description: "1 is the first." }),
    outcome: AttemptOutcomeField,
    retryable: Type.Boolean({
      description: "Whether this outcome lets the call be sent to the webhook again.",
    }),
    status: nullableInteger("null when there was no response."),
    durationMs: Type.Integer({ description: "To the status line and headers, or to the failure." }),
    error: nullableString("For people; null on success."),
    response: Type.Unsafe<Static<typeof ResponseView> | null>({
      anyOf: [ResponseView, { type: "null" }],
      description: "null when there was no response.",
    }),
    connection: ConnectionView,
    replayId: nullableString("The replay that the call came from."),
    suppressed: Type.Integer({
      description:
        "Failures just before that have no entry of their own, because more came than are recorded.",
    }),
  },
  { title: "Attempt", description: "One request to one webhook." },
);

export function attemptView(attempt: Omit<ListedAttempt, "place">) {
  const { messageId, sourceId, userId, anonymousId, type, url, outcome } = attempt;
  const { retryable, status, durationMs, replayId, suppressed } = attempt;
  const { address, connectMs, dnsMs, responseBody, responseHeaders, tlsMs, waitMs } = attempt;
  return {
    startedAt: isoTime(attempt.startedAtMs),
    messageId,
    sourceId,
    userId,
    anonymousId,
    type,
    ...webhookFields(attempt.destinationId, url),
    attempt: attempt.attempt,
    outcome,
    retryable,
    status,
    durationMs,
    error: outcome === "success" ? null : attempt.message,
    response: status === null ? null : { headers: responseHeaders, body: responseBody },
    connection: { address, dnsMs, connectMs, tlsMs, waitMs },
    replayId,
    suppressed,
  };
}
