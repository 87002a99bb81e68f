// POST /v1/dead-letters/replay, GET /v1/replays[/{id}], DELETE /v1/replays/{id} (contract 3.7, 10.6).
import { type Static, Type } from "typebox";
import type { Replay } from "#topics";
import { actorOf } from "../../http/caller.ts";
import { DryRunView, isDryRun } from "../../http/dry-run.ts";
import { IdParams } from "../../http/fields.ts";
import { conflictResponse } from "../../http/openapi.ts";
import { PageQuery, page, pageOf } from "../../http/pages.ts";
import { notFound } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { addCallReplayRoute } from "./call-routes.ts";
import { cancelReplay, countReplay, existingReplay, startReplay } from "./commands.ts";
import { noting, type ReplayRouteParts } from "./noting.ts";
import type { ReplayParts } from "./parts.ts";
import { ReplayAccepted, ReplayBody, ReplayView, replayView } from "./schemas.ts";

const TAGS = ["dead letters"];

const ReplaysQuery = Type.Object({
  ...PageQuery.properties,
  destinationId: Type.Optional(
    Type.String({ minLength: 1, description: "Whose dead letters or calls are meant, or that gets them." }),
  ),
});

export function addReplayRoutes(app: ControlApp, parts: ReplayRouteParts): void {
  addStartRoute(app, parts);
  addCallReplayRoute(app, parts);
  addReadRoutes(app, parts);
  addCancelRoute(app, parts);
}

function addStartRoute(app: ControlApp, parts: ReplayRouteParts): void {
  app.post(
    "/v1/dead-letters/replay",
    {
      attachValidation: true,
      config: { scope: "replay" },
      schema: {
        tags: TAGS,
        operationId: "replayDeadLetters",
        summary:
          "Send dead letters again: some by their ids, or all of a destination, a reason, a range of time",
        description:
          "Each becomes a new delivery job with its messageId, body and a window of retries of its own. What dies again is a new dead letter.",
        body: ReplayBody,
        response: { 200: DryRunView, 202: ReplayAccepted },
      },
    },
    async (request, reply) => {
      checkBody(request);
      if (isDryRun(request.body)) return await countReplay(parts, request.body);
      const replay = await startReplay(parts, request.body, noting(parts, "started", actorOf(request)));
      const { id, matched, skipped } = replay;
      return await reply
        .code(202)
        .header("location", `/v1/replays/${id}`)
        .send({ replayId: id, matched, skipped });
    },
  );
}

function addReadRoutes(app: ControlApp, parts: ReplayParts): void {
  app.get(
    "/v1/replays",
    {
      schema: {
        tags: TAGS,
        operationId: "listReplays",
        summary: "List the replays, oldest first",
        querystring: ReplaysQuery,
        response: { 200: pageOf(ReplayView) },
      },
    },
    async ({ query }) => {
      const { destinationId } = query;
      const found = parts.replays.list().filter((replay) => isOf(replay, destinationId));
      // One that was deleted is known as long as its replays are.
      if (
        destinationId !== undefined &&
        found.length === 0 &&
        parts.destinations.get(destinationId) === undefined
      )
        throw notFound("destination", destinationId, "destinationId");
      const { data, ...rest } = page(found, query);
      return { data: data.map((replay) => viewOf(parts, replay)), ...rest };
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
        response: { 200: ReplayView },
      },
    },
    async ({ params }) => viewOf(parts, existingReplay(parts, params.id)),
  );
}

function addCancelRoute(app: ControlApp, parts: ReplayRouteParts): void {
  app.delete(
    "/v1/replays/:id",
    {
      config: { scope: "replay" },
      schema: {
        tags: TAGS,
        operationId: "cancelReplay",
        summary: "End a replay: what was not sent again yet stays as it is",
        params: IdParams,
        response: { 202: ReplayView, ...conflictResponse },
      },
    },
    async (request, reply) => {
      const noted = noting(parts, "cancelled", actorOf(request));
      const cancelled = await cancelReplay(parts, request.params.id, noted);
      return await reply.code(202).send(viewOf(parts, cancelled));
    },
  );
}

/** Dead letters that are named by their ids may be of any destination: where they are sent is all that is known. */
function isOf(replay: Replay, destinationId: string | undefined): boolean {
  return (
    destinationId === undefined || [replay.destinationId, replay.toDestinationId].includes(destinationId)
  );
}

function viewOf({ deliveries }: ReplayParts, replay: Replay): Static<typeof ReplayView> {
  return replayView(replay, deliveries.index.countDeadLetters({ replayId: replay.id }));
}
