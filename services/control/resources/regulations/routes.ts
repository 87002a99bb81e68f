// POST /v1/regulations, GET /v1/regulations[/{id}] (contract 5.2, 10.7).
import { actorOf } from "../../http/caller.ts";
import { isDryRun } from "../../http/dry-run.ts";
import { IdParams } from "../../http/fields.ts";
import { page, pageOf } from "../../http/pages.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { existingRegulation, startRegulation, tryRegulation } from "./commands.ts";
import { matchingRegulations } from "./list.ts";
import type { RegulationParts } from "./parts.ts";
import {
  RegulationAccepted,
  RegulationBody,
  RegulationsQuery,
  RegulationView,
  regulationView,
  sourceCharacters,
} from "./schemas.ts";
import { dryRunView, RegulationDryRun } from "./tried.ts";

const TAGS = ["regulations"];

/**
 * 5,000 user ids of 170 characters fit; all of them are one record of Kafka's, which holds a megabyte when it is compressed: with 5,000 UUIDs
 * also the ids of 112,000 sources, with one user those of 126,000.
 */
const MAX_BODY_BYTES = 900_000;

export function addRegulationRoutes(app: ControlApp, parts: RegulationParts): void {
  addStartRoute(app, parts);
  addReadRoutes(app, parts);
}

function addStartRoute(app: ControlApp, parts: RegulationParts): void {
  app.post(
    "/v1/regulations",
    {
      attachValidation: true,
      bodyLimit: MAX_BODY_BYTES,
      schema: {
        tags: TAGS,
        operationId: "startRegulation",
        summary: "Delete users, suppress them, or end their suppression",
        description:
          "A list with a wrong entry is refused whole. Receivers get one delete notification per user and affected source, through the same retries as any call.",
        body: RegulationBody,
        response: { 200: RegulationDryRun, 202: RegulationAccepted },
      },
    },
    async (request, reply) => {
      checkBody(request);
      if (isDryRun(request.body)) return dryRunView(await tryRegulation(parts, request.body));
      const { id } = await startRegulation(parts, request.body, actorOf(request));
      return await reply.code(202).header("location", `/v1/regulations/${id}`).send({ id });
    },
  );
}

function addReadRoutes(app: ControlApp, parts: RegulationParts): void {
  app.get(
    "/v1/regulations",
    {
      schema: {
        tags: TAGS,
        operationId: "listRegulations",
        summary: "List the regulations, oldest first",
        querystring: RegulationsQuery,
        response: { 200: pageOf(RegulationView) },
      },
    },
    async ({ query }) => {
      const { data, ...rest } = page(matchingRegulations(parts, query), query, sourceCharacters);
      return { data: data.map(regulationView), ...rest };
    },
  );
  app.get(
    "/v1/regulations/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getRegulation",
        summary: "How far a regulation is, source by source",
        params: IdParams,
        response: { 200: RegulationView },
      },
    },
    async ({ params }) => regulationView(existingRegulation(parts, params.id)),
  );
}
