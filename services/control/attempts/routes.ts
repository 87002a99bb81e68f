// GET /v1/destinations/{id}/attempts and .../stats (contract 10.5).
import { Type } from "typebox";
import { durationText, OUTCOME_REASONS } from "#contract";
import { KEPT_MS } from "#topics";
import type { ListedAttempt } from "../delivery-index/attempts-table.ts";
import { existingDestination } from "../destinations/existing.ts";
import { SHOWN_URL, shownUrl } from "../destinations/shown-url.ts";
import { IdParams, TimeField } from "../http/fields.ts";
import { nullableInteger, nullableString } from "../http/nullable.ts";
import { problemResponses } from "../http/openapi.ts";
import type { ControlApp } from "../http/server.ts";
import {
  isoTime,
  isoTimeOrNull,
  PAGE_FIELDS,
  RANGE_FIELDS,
  readPage,
  readRange,
  timePage,
  timePageOf,
} from "../http/time-pages.ts";
import type { AttemptParts } from "./parts.ts";

const AttemptView = Type.Object(
  {
    startedAt: TimeField,
    messageId: Type.String(),
    sourceId: Type.String(),
    type: Type.String({ description: "Of the call." }),
    url: Type.String({ description: SHOWN_URL }),
    attempt: Type.Integer({ description: "1 is the first." }),
    outcome: Type.String({ description: `success, or why not: ${OUTCOME_REASONS.join(", ")}.` }),
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
  { description: "One request to one webhook." },
);

const AttemptsQuery = Type.Object(
  {
    outcome: Type.Optional(
      Type.String({ minLength: 1, description: "success, failed for every other, or one reason." }),
    ),
    messageId: Type.Optional(Type.String({ minLength: 1 })),
    ...RANGE_FIELDS,
    ...PAGE_FIELDS,
  },
  { additionalProperties: false },
);

export function addAttemptRoutes(app: ControlApp, parts: AttemptParts): void {
  app.get(
    "/v1/destinations/:id/attempts",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listAttempts",
        summary: "What happened to single requests, newest first",
        description: `Every failure is here, up to 50 a second and deliverer, and of the successes the first after a failure and about one a second; the statistics count all. Kept for ${durationText(KEPT_MS.deliveryAttempts, { days: true })}.`,
        params: IdParams,
        querystring: AttemptsQuery,
        response: { 200: timePageOf(AttemptView), ...problemResponses },
      },
    },
    async ({ params, query }) => {
      const { id: destinationId } = existingDestination(parts, params.id);
      const { index, progress } = parts.deliveries;
      const { outcome, messageId } = query;
      const found = index.listAttempts(
        { destinationId, outcome, messageId, ...readRange(query) },
        readPage(query),
      );
      const { data, next } = timePage(found, query, ({ startedAtMs, place }) => ({
        atMs: startedAtMs,
        place,
      }));
      return {
        data: data.map(attemptView),
        next,
        indexedUntil: isoTimeOrNull(progress.indexedUntilMs("attempts")),
      };
    },
  );
}

function attemptView(attempt: ListedAttempt) {
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
