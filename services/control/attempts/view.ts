// A request to a webhook as the API shows it (contract 10.5).
import { Type } from "typebox";
import type { ListedAttempt } from "../delivery-index/attempts-table.ts";
import { TimeField } from "../http/fields.ts";
import { nullableInteger, nullableString } from "../http/nullable.ts";
import { AttemptOutcomeField } from "../http/reason-fields.ts";
import { SHOWN_URL, shownUrl } from "../http/shown-url.ts";
import { isoTime } from "../http/time-pages.ts";

export const AttemptView = Type.Object(
  {
    startedAt: TimeField,
    messageId: Type.String(),
    sourceId: Type.String(),
    type: Type.String({ description: "Of the call." }),
    url: Type.String({ description: SHOWN_URL }),
    attempt: Type.Integer({ description: "1 is the first." }),
    outcome: AttemptOutcomeField,
    retryable: Type.Boolean({
      description: "Whether this outcome lets the call be sent to the webhook again.",
    }),
    status: nullableInteger("null when there was no response."),
    durationMs: Type.Integer({ description: "To the status line and headers, or to the failure." }),
    error: nullableString("For people; null on success."),
    replayId: nullableString("The replay that the call came from."),
    suppressed: Type.Integer({
      description:
        "Failures just before that have no entry of their own, because more came than are recorded.",
    }),
  },
  { title: "Attempt", description: "One request to one webhook." },
);

export function attemptView(attempt: ListedAttempt) {
  const { messageId, sourceId, type, url, outcome, retryable, status, durationMs, replayId, suppressed } =
    attempt;
  return {
    startedAt: isoTime(attempt.startedAtMs),
    messageId,
    sourceId,
    type,
    url: shownUrl(url),
    attempt: attempt.attempt,
    outcome,
    retryable,
    status,
    durationMs,
    error: outcome === "success" ? null : attempt.message,
    replayId,
    suppressed,
  };
}
