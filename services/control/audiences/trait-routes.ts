// /v1/computed-traits (contract 10.8).
import { entityTag } from "../edits/entity-tag.ts";
import { actorOf } from "../http/caller.ts";
import { IdParams, IfMatch, NoContent } from "../http/fields.ts";
import { problemResponses } from "../http/openapi.ts";
import { page, pageOf } from "../http/pages.ts";
import type { ControlApp } from "../http/server.ts";
import { checkBody } from "../http/validation.ts";
import { create, patch, remove } from "./commands.ts";
import { filtered } from "./filters.ts";
import type { AudienceParts } from "./parts.ts";
import { existing, existingOf } from "./resource.ts";
import {
  ComputedTraitsQuery,
  ComputedTraitView,
  CreateComputedTraitBody,
  NoQuery,
  PatchAudienceBody,
} from "./schemas.ts";
import { computedTraitView } from "./views.ts";

const TAGS = ["computed traits"];
const RESOURCE = "computed_trait";

export function addComputedTraitRoutes(app: ControlApp, parts: AudienceParts): void {
  addCreateRoute(app, parts);
  addReadRoutes(app, parts);
  addPatchRoute(app, parts);
  addDeleteRoute(app, parts);
}

function addCreateRoute(app: ControlApp, parts: AudienceParts): void {
  app.post(
    "/v1/computed-traits",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "createComputedTrait",
        summary: "Make a computed trait; every user who has a value is sent an identify call",
        body: CreateComputedTraitBody,
        response: { 201: ComputedTraitView, ...problemResponses },
      },
    },
    async (request, reply) => {
      const trait = await create(parts, {
        resource: RESOURCE,
        by: actorOf(request),
        body: request.body,
        check: (problems) => checkBody(request, problems),
      });
      return await reply
        .code(201)
        .header("location", `/v1/computed-traits/${trait.id}`)
        .header("etag", entityTag(trait))
        .send(computedTraitView(trait, parts));
    },
  );
}

function addReadRoutes(app: ControlApp, parts: AudienceParts): void {
  app.get(
    "/v1/computed-traits",
    {
      schema: {
        tags: TAGS,
        operationId: "listComputedTraits",
        summary: "List the computed traits, oldest first",
        querystring: ComputedTraitsQuery,
        response: { 200: pageOf(ComputedTraitView), ...problemResponses },
      },
    },
    async ({ query }) => {
      const { data, next } = page(filtered(existingOf(parts, RESOURCE), query, parts), query);
      return { data: data.map((trait) => computedTraitView(trait, parts)), next };
    },
  );
  app.get(
    "/v1/computed-traits/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getComputedTrait",
        params: IdParams,
        response: { 200: ComputedTraitView, ...problemResponses },
      },
    },
    async ({ params }, reply) => {
      const trait = existing(parts, RESOURCE, params.id);
      return await reply.header("etag", entityTag(trait)).send(computedTraitView(trait, parts));
    },
  );
}

function addPatchRoute(app: ControlApp, parts: AudienceParts): void {
  app.patch(
    "/v1/computed-traits/:id",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "patchComputedTrait",
        summary: "Rename, redefine, pause or resume a computed trait",
        params: IdParams,
        headers: IfMatch,
        body: PatchAudienceBody,
        response: { 200: ComputedTraitView, ...problemResponses },
      },
    },
    async (request, reply) => {
      const trait = await patch(parts, request.params.id, {
        resource: RESOURCE,
        by: actorOf(request),
        ifMatch: request.headers["if-match"],
        body: request.body,
        check: (problems) => checkBody(request, problems),
      });
      return await reply.header("etag", entityTag(trait)).send(computedTraitView(trait, parts));
    },
  );
}

function addDeleteRoute(app: ControlApp, parts: AudienceParts): void {
  app.delete(
    "/v1/computed-traits/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "deleteComputedTrait",
        summary: "Delete a computed trait; nothing is sent",
        params: IdParams,
        headers: IfMatch,
        querystring: NoQuery,
        response: { 204: NoContent, ...problemResponses },
      },
    },
    async (request, reply) => {
      const { headers, params } = request;
      const by = actorOf(request);
      const ifMatch = headers["if-match"];
      await remove(parts, params.id, { resource: RESOURCE, isExitAll: false, by, ifMatch });
      return await reply.code(204).send(null);
    },
  );
}
