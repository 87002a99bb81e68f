// GET /v1/destinations/{id}/attempts and .../stats (contract 10.5).
import { Type } from "typebox";
import { formatDuration, OUTCOME_REASONS } from "#contract";
import { KEPT_MS } from "#topics";
import { IdParams } from "../../http/fields.ts";
import { problemResponses } from "../../http/openapi.ts";
import type { ControlApp } from "../../http/server.ts";
import {
  isoTimeOrNull,
  PAGE_FIELDS,
  RANGE_FIELDS,
  readPage,
  readRange,
  timePage,
  timePageOf,
} from "../../http/time-pages.ts";
import { readUser, USER_FIELDS } from "../../http/user-fields.ts";
import { checkDestination } from "./known.ts";
import type { AttemptParts } from "./parts.ts";
import { AttemptView, attemptView } from "./view.ts";

const AttemptsQuery = Type.Object(
  {
    outcome: Type.Optional(
      Type.Unsafe<string>({
        title: "AttemptFilter",
        type: "string",
        enum: ["success", "failed", ...OUTCOME_REASONS],
        description: "success, failed for every other, or one reason.",
      }),
    ),
    messageId: Type.Optional(Type.String({ minLength: 1 })),
    ...USER_FIELDS,
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
        description: `Every failure is here, up to 50 a second and deliverer, and of the successes the first after a failure and about one a second, unless HOOKLINE_RECORDED_ATTEMPTS is all; the statistics count all. Kept for ${formatDuration(KEPT_MS.deliveryAttempts)}.`,
        params: IdParams,
        querystring: AttemptsQuery,
        response: { 200: timePageOf(AttemptView), ...problemResponses },
      },
    },
    async ({ params, query }) => {
      const destinationId = params.id;
      await checkDestination(parts, destinationId);
      const { index, progress } = parts.deliveries;
      const { outcome, messageId } = query;
      const found = index.listAttempts(
        { destinationId, outcome, messageId, user: readUser(query), ...readRange(query) },
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
