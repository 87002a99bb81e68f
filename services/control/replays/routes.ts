// POST /v1/dead-letters/replay, GET /v1/replays[/{id}], DELETE /v1/replays/{id} (contract 3.7, 10.6).
import type { Static } from "typebox";
import type { Replay } from "#topics";
import type { ControlContext } from "../context.ts";
import { IdParams } from "../http/fields.ts";
import { problemResponses } from "../http/openapi.ts";
import { PageQuery, page, pageOf } from "../http/pages.ts";
import type { ControlApp } from "../http/server.ts";
import { checkBody } from "../http/validation.ts";
import { cancelReplay, existingReplay, startReplay } from "./commands.ts";
import { ReplayAccepted, ReplayBody, ReplayView, replayView } from "./schemas.ts";

const TAGS = ["dead letters"];

export function addReplayRoutes(app: ControlApp, context: ControlContext): void {
  addStartRoute(app, context);
  addReadRoutes(app, context);
  addCancelRoute(app, context);
}

function addStartRoute(app: ControlApp, context: ControlContext): void {
  app.post(
    "/v1/dead-letters/replay",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "replayDeadLetters",
        summary:
          "Send dead letters again: some by their ids, or all of a destination, a reason, a range of time",
        description:
          "Each becomes a new delivery job with its messageId, body and four hours of retries. What dies again is a new dead letter.",
        body: ReplayBody,
        response: { 202: ReplayAccepted, ...problemResponses },
      },
    },
    async (request, reply) => {
      checkBody(request);
      const replay = await startReplay(context, request.body);
      const { id, matched, skipped } = replay;
      return await reply
        .code(202)
        .header("location", `/v1/replays/${id}`)
        .send({ replayId: id, matched, skipped });
    },
  );
}

function addReadRoutes(app: ControlApp, context: ControlContext): void {
  app.get(
    "/v1/replays",
    {
      schema: {
        tags: TAGS,
        operationId: "listReplays",
        summary: "List the replays, oldest first",
        querystring: PageQuery,
        response: { 200: pageOf(ReplayView), ...problemResponses },
      },
    },
    async ({ query }) => {
      const { data, next } = page(context.replays.list(), query);
      return { data: data.map((replay) => viewOf(context, replay)), next };
    },
  );
  app.get(
    "/v1/replays/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getReplay",
        summary: "How far a replay is; its progress is written once a second",
        params: IdParams,
        response: { 200: ReplayView, ...problemResponses },
      },
    },
    async ({ params }) => viewOf(context, existingReplay(context, params.id)),
  );
}

function addCancelRoute(app: ControlApp, context: ControlContext): void {
  app.delete(
    "/v1/replays/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "cancelReplay",
        summary: "End a replay: what was not sent again yet stays a dead letter",
        params: IdParams,
        response: { 202: ReplayView, ...problemResponses },
      },
    },
    async ({ params }, reply) => {
      const cancelled = await cancelReplay(context, params.id);
      return await reply.code(202).send(viewOf(context, cancelled));
    },
  );
}

function viewOf({ deliveries }: ControlContext, replay: Replay): Static<typeof ReplayView> {
  return replayView(replay, deliveries.index.countDeadLetters({ replayId: replay.id }));
}
