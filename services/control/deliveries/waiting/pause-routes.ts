// POST /v1/destinations/{id}/pause, .../resume.

import { Type } from "typebox";
import { actorOf } from "../../http/caller.ts";
import { DRY_RUN, type DryRun, DryRunView, isDryRun } from "../../http/dry-run.ts";
import { IdParams } from "../../http/fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { PauseBody, pauseProblems } from "../../resources/destinations/pause.ts";
import { DestinationView } from "../../resources/destinations/schemas.ts";
import { destinationViewOf } from "../../resources/destinations/view.ts";
import { pauseDestination, resumeDestination } from "./commands.ts";
import { countPaused, countResumed } from "./dry-run.ts";
import type { WaitingParts } from "./parts.ts";

const TAGS = ["waiting calls"];

const ResumeBody = Type.Object(DRY_RUN, {
  additionalProperties: false,
  default: {},
  title: "NewResume",
  description: "Nothing is needed.",
});

const PausedView = Type.Object(
  { ...DestinationView.properties, dryRun: Type.Optional(DryRunView) },
  { title: "PausedDestination", description: "The destination; of a dry run as it was and is." },
);

function unchanged(parts: WaitingParts, id: string, dryRun: DryRun) {
  return { ...destinationViewOf(existingDestination(parts, id), parts), dryRun };
}

export function addPauseRoutes(app: ControlApp, parts: WaitingParts): void {
  addPauseRoute(app, parts);
  addResumeRoute(app, parts);
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
        response: { 200: PausedView },
      },
    },
    async (request) => {
      const given: unknown = request.body;
      if (given !== undefined) checkBody(request, pauseProblems(given));
      const callsWaitFor = given === undefined ? null : request.body.callsWaitFor;
      const { id } = request.params;
      if (isDryRun(given)) return unchanged(parts, id, await countPaused(parts, id));
      const whose = { id, by: actorOf(request) };
      return destinationViewOf(await pauseDestination(parts, whose, callsWaitFor), parts);
    },
  );
}

function addResumeRoute(app: ControlApp, parts: WaitingParts): void {
  app.post(
    "/v1/destinations/:id/resume",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "resumeDestination",
        summary: "End a pause; what waits is sent now, as fast as the endpoints take it",
        params: IdParams,
        body: ResumeBody,
        response: { 200: PausedView },
      },
    },
    async (request) => {
      const given: unknown = request.body;
      if (given !== undefined) checkBody(request);
      const { id } = request.params;
      if (isDryRun(given)) return unchanged(parts, id, await countResumed(parts, id));
      const whose = { id, by: actorOf(request) };
      return destinationViewOf(await resumeDestination(parts, whose), parts);
    },
  );
}
