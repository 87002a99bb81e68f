// POST /v1/dead-letters/replay, GET /v1/replays[/{id}], DELETE /v1/replays/{id} (contract 3.7, 10.6).
import type { Static } from "typebox";
import type { Replay } from "#topics";
import type { ControlContext } from "../context.ts";
import { IdParams } from "../http/fields.ts";
import { problemResponses } from "../http/openapi.ts";
import { PageQuery, page, pageOf } from "../http/pages.ts";
import { notFound, ProblemError } from "../http/problem.ts";
import type { ControlApp } from "../http/server.ts";
import { checkBody } from "../http/validation.ts";
import { replayOf, replayProblems } from "./request.ts";
import { ReplayAccepted, ReplayBody, ReplayView, replayView } from "./schemas.ts";
import { filterOf } from "./selection.ts";

const TAGS = ["dead letters"];

/** A person or program is waiting. */
const INDEXED_WITHIN_MS = 5_000;

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
      const replay = await startReplay(context, request);
      const { id, matched, skipped } = replay;
      return await reply
        .code(202)
        .header("location", `/v1/replays/${id}`)
        .send({ replayId: id, matched, skipped });
    },
  );
}

/** Durable when it resolves. Whatever has died until now is meant, so the index has to know it. */
async function startReplay(
  context: ControlContext,
  request: Parameters<typeof checkBody>[0] & { readonly body: Static<typeof ReplayBody> },
): Promise<Replay> {
  const { deliveries, destinations, ids, replays } = context;
  const { index, progress } = deliveries;
  const ends = await context.deadLetterEnds();
  if (!(await progress.untilCovers("deadLetters", ends, INDEXED_WITHIN_MS)))
    throw new ProblemError("unavailable", "the dead letters are still being indexed; nothing was begun");
  const known = {
    destination: (id: string) => destinations.get(id),
    deadLetter: (id: string) => index.findDeadLetter(id),
  };
  checkBody(request, replayProblems(request.body, known));
  const replay = replayOf(request.body, { id: ids.newReplayId(), ends, nowMs: context.nowMs() });
  const count = (replayable: boolean): number => index.countDeadLetters({ ...filterOf(replay), replayable });
  const counted = {
    ...replay,
    matched: replay.ids?.length ?? count(true),
    skipped: replay.ids === null ? count(false) : 0,
  };
  await replays.putVisibly(counted);
  return counted;
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
      const replay = existingReplay(context, params.id);
      if (replay.state !== "running") throw new ProblemError("conflict", `the replay is ${replay.state}`);
      const cancelled = { ...replay, state: "cancelled", updatedAtMs: context.nowMs() };
      await context.replays.putVisibly(cancelled);
      return await reply.code(202).send(viewOf(context, cancelled));
    },
  );
}

function existingReplay({ replays }: ControlContext, id: string): Replay {
  const replay = replays.get(id);
  if (replay === undefined && !replays.isLoaded)
    throw new ProblemError("unavailable", "the replays are still being read");
  if (replay === undefined) throw notFound("replay", id);
  return replay;
}

function viewOf({ deliveries }: ControlContext, replay: Replay): Static<typeof ReplayView> {
  return replayView(replay, deliveries.index.countDeadLetters({ replayId: replay.id }));
}
