// /v1/destinations (contract 10.3).
import type { DestinationConfig } from "#topics";
import type { ControlContext } from "../context.ts";
import { healthView } from "../health/view.ts";
import { IdParams, NoContent } from "../http/fields.ts";
import { problemResponses } from "../http/openapi.ts";
import { PageQuery, page, pageOf } from "../http/pages.ts";
import { notFound } from "../http/problem.ts";
import type { ControlApp } from "../http/server.ts";
import { checkBody } from "../http/validation.ts";
import { createDestination, destinationView, patchDestination } from "./destination.ts";
import { destinationProblems } from "./rules.ts";
import { CreateDestinationBody, DestinationView, PatchDestinationBody } from "./schemas.ts";
import { sealerOf } from "./secrets.ts";

const TAGS = ["destinations"];

export function addDestinationRoutes(app: ControlApp, context: ControlContext): void {
  addCreateRoute(app, context);
  addReadRoutes(app, context);
  addPatchRoute(app, context);
  addDeleteRoute(app, context);
}

export function existingDestination({ destinations }: ControlContext, id: string): DestinationConfig {
  const destination = destinations.get(id);
  if (destination === undefined) throw notFound("destination", id);
  return destination;
}

function viewOf(destination: DestinationConfig, { health, nowMs }: ControlContext) {
  return {
    ...destinationView(destination, nowMs()),
    health: healthView(destination, health.of(destination.id)),
  };
}

function addCreateRoute(app: ControlApp, context: ControlContext): void {
  const { destinations, changes, ids, partitions, secrets, telemetry } = context;
  app.post(
    "/v1/destinations",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "createDestination",
        summary: "Make a destination; it is off unless `enabled` is true",
        body: CreateDestinationBody,
        response: { 201: DestinationView, ...problemResponses },
      },
    },
    async (request, reply) => {
      const id = ids.newDestinationId();
      const destination = await changes.run(async () => {
        const rules = { isSource: sourceCheck(context), before: undefined, partitions };
        checkBody(request, destinationProblems(request.body, rules));
        const making = { sealer: sealerOf(secrets, id), nowMs: context.nowMs() };
        const created = createDestination(id, request.body, making);
        await destinations.put(created);
        return created;
      });
      telemetry.changed("destination", "created");
      return await reply
        .code(201)
        .header("location", `/v1/destinations/${id}`)
        .send(viewOf(destination, context));
    },
  );
}

function addReadRoutes(app: ControlApp, context: ControlContext): void {
  app.get(
    "/v1/destinations",
    {
      schema: {
        tags: TAGS,
        operationId: "listDestinations",
        summary: "List the destinations, oldest first",
        querystring: PageQuery,
        response: { 200: pageOf(DestinationView), ...problemResponses },
      },
    },
    async (request) => {
      const { data, next } = page(context.destinations.list(), request.query);
      return { data: data.map((destination) => viewOf(destination, context)), next };
    },
  );
  app.get(
    "/v1/destinations/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getDestination",
        params: IdParams,
        response: { 200: DestinationView, ...problemResponses },
      },
    },
    async ({ params }) => viewOf(existingDestination(context, params.id), context),
  );
}

function addPatchRoute(app: ControlApp, context: ControlContext): void {
  const { destinations, changes, partitions, secrets, telemetry } = context;
  app.patch(
    "/v1/destinations/:id",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "patchDestination",
        summary: "Change a destination; waiting calls follow it at their next attempt",
        params: IdParams,
        body: PatchDestinationBody,
        response: { 200: DestinationView, ...problemResponses },
      },
    },
    async (request) => {
      const { id } = request.params;
      const destination = await changes.run(async () => {
        const before = existingDestination(context, id);
        const rules = { isSource: sourceCheck(context), before, partitions };
        checkBody(request, destinationProblems(request.body, rules));
        const making = { sealer: sealerOf(secrets, id), nowMs: context.nowMs() };
        const after = patchDestination(before, request.body, making);
        await destinations.put(after);
        return after;
      });
      telemetry.changed("destination", "updated");
      return viewOf(destination, context);
    },
  );
}

function addDeleteRoute(app: ControlApp, context: ControlContext): void {
  const { destinations, changes, health, telemetry } = context;
  app.delete(
    "/v1/destinations/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "deleteDestination",
        summary: "Delete a destination; calls that wait for it become dead letters",
        params: IdParams,
        response: { 204: NoContent, ...problemResponses },
      },
    },
    async ({ params: { id } }, reply) => {
      await changes.run(async () => {
        existingDestination(context, id);
        await destinations.remove(id);
      });
      health.forget(id);
      telemetry.changed("destination", "deleted");
      return await reply.code(204).send(null);
    },
  );
}

function sourceCheck({ sources }: ControlContext): (id: string) => boolean {
  return (id) => sources.get(id) !== undefined;
}
