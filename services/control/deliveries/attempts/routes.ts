// GET /v1/deliveries and GET /v1/destinations/{id}/attempts (contract 10.5).
import { type Static, Type } from "typebox";
import { formatDuration } from "#contract";
import { KEPT_MS } from "#topics";
import { IdParams } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import type { ControlApp } from "../../http/server.ts";
import { SCANNED_TEXT, timePageOf } from "../../http/time-pages.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import { checkDestination } from "./known.ts";
import { eventsOf, listAttempts } from "./list.ts";
import type { AttemptParts } from "./parts.ts";
import { ATTEMPTS_QUERY } from "./query.ts";
import { AttemptView, attemptView } from "./view.ts";

const RECORDED_TEXT = `Every failure is here, up to 50 a second and deliverer, and of the successes the first after a failure and one a second, or sixty after a quiet minute, unless HOOKLINE_RECORDED_ATTEMPTS is all; the statistics count all. Kept for ${formatDuration(KEPT_MS.deliveryAttempts)}. ${SCANNED_TEXT}`;

const DeliveryView = Type.Object(
  {
    destinationId: Type.String(),
    event: nullableString("Name of a track call; null where calls are not recorded."),
    ...AttemptView.properties,
  },
  { title: "Delivery", description: "One request to one webhook of any destination." },
);

export function addAttemptRoutes(app: ControlApp, parts: AttemptParts): void {
  app.get(
    "/v1/destinations/:id/attempts",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listAttempts",
        summary: "What happened to a destination's requests, newest first",
        description: RECORDED_TEXT,
        params: IdParams,
        querystring: Type.Object(ATTEMPTS_QUERY),
        response: { 200: timePageOf(AttemptView) },
      },
    },
    async ({ params, query }) => {
      await checkDestination(parts, params.id);
      const asked = { ...query, destinationId: params.id };
      const { attempts, indexedUntil, page } = await listAttempts(parts, asked);
      return { data: attempts.map(attemptView), ...page, indexedUntil };
    },
  );
}

export function addDeliveriesRoute(app: ControlApp, parts: AttemptParts): void {
  app.get(
    "/v1/deliveries",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listDeliveries",
        summary: "What happened to requests of all destinations, newest first",
        description: RECORDED_TEXT,
        querystring: Type.Object({
          destinationId: Type.Optional(
            Type.String({ minLength: 1, description: "Only requests of this destination." }),
          ),
          ...ATTEMPTS_QUERY,
        }),
        response: { 200: timePageOf(DeliveryView) },
      },
    },
    async ({ query }) => {
      const { attempts, indexedUntil, page } = await listAttempts(parts, query);
      const events = await eventsOf(parts.deliveries, attempts);
      const viewOf = (attempt: ListedAttempt, at: number): Static<typeof DeliveryView> => ({
        destinationId: attempt.destinationId,
        event: events[at] ?? null,
        ...attemptView(attempt),
      });
      return { data: attempts.map(viewOf), ...page, indexedUntil };
    },
  );
}
