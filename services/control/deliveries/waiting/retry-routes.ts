// POST /v1/destinations/{id}/retry.
import { Type } from "typebox";
import { actorOf } from "../../http/caller.ts";
import { DRY_RUN, DryRunView } from "../../http/dry-run.ts";
import { IdParams } from "../../http/fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { USER_FIELDS } from "../../http/user-fields.ts";
import { checkBody } from "../../http/validation.ts";
import { DestinationView } from "../../resources/destinations/schemas.ts";
import { destinationViewOf } from "../../resources/destinations/view.ts";
import { retryDestination } from "./commands.ts";
import { countRetried } from "./dry-run.ts";
import type { WaitingParts } from "./parts.ts";

const MOST_MESSAGES = 1_000;

const RetryBody = Type.Object(
  {
    messageIds: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        maxItems: MOST_MESSAGES,
        uniqueItems: true,
        description: "Only these calls.",
      }),
    ),
    ...USER_FIELDS,
    ...DRY_RUN,
  },
  {
    additionalProperties: false,
    default: {},
    title: "NewRetry",
    description: "Which of the waiting calls; all of them when nothing is said.",
    examples: [{ messageIds: ["order-1", "order-2"] }],
  },
);

const RetryAnswer = Type.Object(
  {
    ...DestinationView.properties,
    notWaiting: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Of messageIds, those that do not wait: they were delivered or given up, or are under way at this moment. Left out, with `retry.calls` null, where it took longer than four seconds to look at all that waits.",
      }),
    ),
  },
  { title: "RetriedDestination", description: "The destination; `retry` says what was asked for." },
);

export function addRetryRoute(app: ControlApp, parts: WaitingParts): void {
  app.post(
    "/v1/destinations/:id/retry",
    {
      attachValidation: true,
      schema: {
        tags: ["waiting calls"],
        operationId: "retryDestination",
        summary: "Send what waits for a destination now, ahead of its time",
        description:
          "Each call that has failed until now, or was put off, is attempted once more; what fails again goes on by the schedule. An endpoint that is taken for down is asked with one call first; the others follow when it takes that one. It keeps a pause that it has asked for with Retry-After. When most of the calls fail again, the rest keep their time. However many they are, all of them are meant, also those that the answer does not count. The request is durable: deliverers that start later carry it out, and `retry` of the destination says how far it is. The destination itself does not change by it.",
        params: IdParams,
        body: RetryBody,
        response: { 200: DryRunView, 202: RetryAnswer },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const given: unknown = request.body;
      if (given !== undefined) checkBody(request);
      const { dryRun = false, ...asked } = given === undefined ? {} : request.body;
      if (dryRun) return await countRetried(parts, id, asked);
      const whose = { id, by: actorOf(request) };
      const { destination, notWaiting } = await retryDestination(parts, whose, asked);
      const known = notWaiting === undefined ? {} : { notWaiting: [...notWaiting] };
      const answer = { ...destinationViewOf(destination, parts), ...known };
      return await reply.code(202).header("location", `/v1/destinations/${id}/waiting`).send(answer);
    },
  );
}
