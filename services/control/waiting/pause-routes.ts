// POST /v1/destinations/{id}/pause, .../resume, .../retry.
import type { DestinationConfig } from "#topics";
import { existingDestination } from "../destinations/existing.ts";
import { PauseBody, paused, pauseProblems, resumed, retried } from "../destinations/pause.ts";
import { DestinationView } from "../destinations/schemas.ts";
import { destinationViewOf } from "../destinations/view.ts";
import { type Actor, actorOf } from "../http/caller.ts";
import { IdParams } from "../http/fields.ts";
import { problemResponses } from "../http/openapi.ts";
import { ProblemError } from "../http/problem.ts";
import type { ControlApp } from "../http/server.ts";
import { checkBody } from "../http/validation.ts";
import type { WaitingParts } from "./parts.ts";

const TAGS = ["waiting calls"];

export function addPauseRoutes(app: ControlApp, parts: WaitingParts): void {
  addPauseRoute(app, parts);
  addResumeRoute(app, parts);
  addRetryRoute(app, parts);
}

type Change = (before: DestinationConfig, made: { readonly nowMs: number }) => DestinationConfig;

interface Whose {
  readonly id: string;
  readonly by: Actor;
}

/** Durable when it resolves; deliverers act on it within a second. */
async function change(parts: WaitingParts, { id, by }: Whose, make: Change) {
  const { changes, destinations, nowMs, telemetry } = parts;
  const after = await changes.run(async () => {
    const before = existingDestination(parts, id);
    const made = make(before, { nowMs: nowMs() });
    await destinations.replace({ before, after: made, by });
    return made;
  });
  telemetry.changed("destination", "updated");
  return destinationViewOf(after, parts);
}

function addPauseRoute(app: ControlApp, parts: WaitingParts): void {
  app.post(
    "/v1/destinations/:id/pause",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "pauseDestination",
        summary: "Let a destination's calls wait, new ones too, until it is resumed",
        description:
          "Calls are still accepted and routed. Requests under way run to their end. The time of a pause does not count in a call's window of retries.",
        params: IdParams,
        body: PauseBody,
        response: { 200: DestinationView, ...problemResponses },
      },
    },
    async (request) => {
      const given: unknown = request.body;
      if (given !== undefined) checkBody(request, pauseProblems(given));
      const callsWaitFor = given === undefined ? null : request.body.callsWaitFor;
      const whose = { id: request.params.id, by: actorOf(request) };
      return await change(parts, whose, (before, made) => paused(before, callsWaitFor, made));
    },
  );
}

function addResumeRoute(app: ControlApp, parts: WaitingParts): void {
  app.post(
    "/v1/destinations/:id/resume",
    {
      schema: {
        tags: TAGS,
        operationId: "resumeDestination",
        summary: "End a pause; what waits is sent now, as fast as the endpoints take it",
        params: IdParams,
        response: { 200: DestinationView, ...problemResponses },
      },
    },
    async (request) =>
      await change(parts, { id: request.params.id, by: actorOf(request) }, (before, made) => {
        if (before.pausedAtMs === null) throw new ProblemError("conflict", "the destination is not paused");
        return resumed(before, made);
      }),
  );
}

function addRetryRoute(app: ControlApp, parts: WaitingParts): void {
  app.post(
    "/v1/destinations/:id/retry",
    {
      schema: {
        tags: TAGS,
        operationId: "retryDestination",
        summary: "Send what waits for a destination now, ahead of its time",
        description:
          "Each call that has failed until now, or was put off, is attempted once more; what fails again goes on by the schedule. An endpoint that is taken for down is asked with one call first; the others follow when it takes that one. It keeps a pause that it has asked for with Retry-After. When most of the calls fail again, the rest keep their time.",
        params: IdParams,
        response: { 202: DestinationView, ...problemResponses },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const view = await change(parts, { id, by: actorOf(request) }, (before, made) => {
        if (!before.enabled) throw new ProblemError("conflict", "the destination is switched off");
        if (before.pausedAtMs !== null)
          throw new ProblemError("conflict", "the destination is paused: resume it");
        return retried(before, made);
      });
      return await reply.code(202).header("location", `/v1/destinations/${id}/waiting`).send(view);
    },
  );
}
