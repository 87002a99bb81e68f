// /v1/destinations (contract 10.3).
import { SPACE_SOURCE } from "#contract";
import type { DestinationConfig } from "#topics";
import { actorOf } from "../../http/caller.ts";
import { checkIfMatch, entityTag } from "../../http/entity-tag.ts";
import { IdParams, IfMatch, NoContent } from "../../http/fields.ts";
import { pageOf } from "../../http/pages.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { changeDestination, deleteDestination } from "./commands.ts";
import { createDestination } from "./destination.ts";
import { existingDestination } from "./existing.ts";
import { DestinationsQuery, destinationsPage } from "./list.ts";
import type { DestinationParts } from "./parts.ts";
import { destinationProblems, type RulesContext } from "./rules.ts";
import { CreateDestinationBody, DestinationView, PatchDestinationBody } from "./schemas.ts";
import { sealerOf } from "./secrets.ts";
import { destinationViewOf } from "./view.ts";

const TAGS = ["destinations"];

export function addDestinationRoutes(app: ControlApp, parts: DestinationParts): void {
  addCreateRoute(app, parts);
  addReadRoutes(app, parts);
  addPatchRoute(app, parts);
  addDeleteRoute(app, parts);
}

function addCreateRoute(app: ControlApp, parts: DestinationParts): void {
  const { destinations, changes, ids, secrets, telemetry } = parts;
  app.post(
    "/v1/destinations",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "createDestination",
        summary: "Make a destination; it is off unless `enabled` is true",
        body: CreateDestinationBody,
        response: { 201: DestinationView },
      },
    },
    async (request, reply) => {
      const id = ids.newDestinationId();
      const destination = await changes.run(async () => {
        checkBody(request, destinationProblems(request.body, rulesOf(parts, undefined)));
        const making = { sealer: sealerOf(secrets, id), nowMs: parts.nowMs() };
        const created = createDestination(id, request.body, making);
        await destinations.replace({ before: undefined, after: created, by: actorOf(request) });
        return created;
      });
      telemetry.changed("destination", "created");
      return await reply
        .code(201)
        .header("location", `/v1/destinations/${id}`)
        .header("etag", entityTag(destination))
        .send(destinationViewOf(destination, parts));
    },
  );
}

function addReadRoutes(app: ControlApp, parts: DestinationParts): void {
  app.get(
    "/v1/destinations",
    {
      schema: {
        tags: TAGS,
        operationId: "listDestinations",
        summary: "List the destinations, oldest first unless asked otherwise",
        querystring: DestinationsQuery,
        response: { 200: pageOf(DestinationView) },
      },
    },
    async (request) => {
      const { data, ...rest } = await destinationsPage(parts, request.query);
      return { data: data.map((destination) => destinationViewOf(destination, parts)), ...rest };
    },
  );
  app.get(
    "/v1/destinations/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getDestination",
        summary: "One destination, its secrets masked, and how it is",
        params: IdParams,
        response: { 200: DestinationView },
      },
    },
    async ({ params }, reply) => {
      const destination = existingDestination(parts, params.id);
      return await reply.header("etag", entityTag(destination)).send(destinationViewOf(destination, parts));
    },
  );
}

function addPatchRoute(app: ControlApp, parts: DestinationParts): void {
  app.patch(
    "/v1/destinations/:id",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "patchDestination",
        summary: "Change a destination; waiting calls follow it at their next attempt",
        params: IdParams,
        headers: IfMatch,
        body: PatchDestinationBody,
        response: { 200: DestinationView },
      },
    },
    async (request, reply) => {
      const check = (before: DestinationConfig): void => {
        checkIfMatch(request.headers["if-match"], before);
        checkBody(request, destinationProblems(request.body, rulesOf(parts, before)));
      };
      const asked = { id: request.params.id, by: actorOf(request), check };
      const destination = await changeDestination(parts, asked, request.body);
      return await reply.header("etag", entityTag(destination)).send(destinationViewOf(destination, parts));
    },
  );
}

function addDeleteRoute(app: ControlApp, parts: DestinationParts): void {
  app.delete(
    "/v1/destinations/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "deleteDestination",
        summary: "Delete a destination; calls that wait for it become dead letters within seconds",
        params: IdParams,
        headers: IfMatch,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const check = (before: DestinationConfig): void => checkIfMatch(request.headers["if-match"], before);
      await deleteDestination(parts, { id: request.params.id, by: actorOf(request), check });
      return await reply.code(204).send(null);
    },
  );
}

function rulesOf(parts: DestinationParts, before: DestinationConfig | undefined): RulesContext {
  const { partitions, retryDelaysMs, sourceCosts, sources } = parts;
  const isSource = (id: string): boolean => id === SPACE_SOURCE || sources.get(id) !== undefined;
  return { isSource, before, partitions, retryDelaysMs, costs: sourceCosts };
}
