// /v1/audiences (contract 10.8).
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
  AudiencesQuery,
  AudienceView,
  CreateAudienceBody,
  DeleteAudienceQuery,
  PatchAudienceBody,
} from "./schemas.ts";
import { audienceView } from "./views.ts";

const TAGS = ["audiences"];
const RESOURCE = "audience";

export function addAudienceRoutes(app: ControlApp, parts: AudienceParts): void {
  addCreateRoute(app, parts);
  addReadRoutes(app, parts);
  addPatchRoute(app, parts);
  addDeleteRoute(app, parts);
}

function addCreateRoute(app: ControlApp, parts: AudienceParts): void {
  app.post(
    "/v1/audiences",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "createAudience",
        summary: "Make an audience; every user in it is sent an identify call",
        body: CreateAudienceBody,
        response: { 201: AudienceView, ...problemResponses },
      },
    },
    async (request, reply) => {
      const audience = await create(parts, {
        resource: RESOURCE,
        by: actorOf(request),
        body: request.body,
        check: (problems) => checkBody(request, problems),
      });
      return await reply
        .code(201)
        .header("location", `/v1/audiences/${audience.id}`)
        .header("etag", entityTag(audience))
        .send(audienceView(audience, parts));
    },
  );
}

function addReadRoutes(app: ControlApp, parts: AudienceParts): void {
  app.get(
    "/v1/audiences",
    {
      schema: {
        tags: TAGS,
        operationId: "listAudiences",
        summary: "List the audiences, oldest first",
        querystring: AudiencesQuery,
        response: { 200: pageOf(AudienceView), ...problemResponses },
      },
    },
    async ({ query }) => {
      const { data, next } = page(filtered(existingOf(parts, RESOURCE), query, parts), query);
      return { data: data.map((audience) => audienceView(audience, parts)), next };
    },
  );
  app.get(
    "/v1/audiences/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getAudience",
        params: IdParams,
        response: { 200: AudienceView, ...problemResponses },
      },
    },
    async ({ params }, reply) => {
      const audience = existing(parts, RESOURCE, params.id);
      return await reply.header("etag", entityTag(audience)).send(audienceView(audience, parts));
    },
  );
}

function addPatchRoute(app: ControlApp, parts: AudienceParts): void {
  app.patch(
    "/v1/audiences/:id",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "patchAudience",
        summary: "Rename, redefine, pause or resume an audience",
        params: IdParams,
        headers: IfMatch,
        body: PatchAudienceBody,
        response: { 200: AudienceView, ...problemResponses },
      },
    },
    async (request, reply) => {
      const audience = await patch(parts, request.params.id, {
        resource: RESOURCE,
        by: actorOf(request),
        ifMatch: request.headers["if-match"],
        body: request.body,
        check: (problems) => checkBody(request, problems),
      });
      return await reply.header("etag", entityTag(audience)).send(audienceView(audience, parts));
    },
  );
}

function addDeleteRoute(app: ControlApp, parts: AudienceParts): void {
  app.delete(
    "/v1/audiences/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "deleteAudience",
        summary: "Delete an audience that no other one names",
        description: "202 with exitAll: the members are sent false from now on.",
        params: IdParams,
        headers: IfMatch,
        querystring: DeleteAudienceQuery,
        response: { 202: NoContent, 204: NoContent, ...problemResponses },
      },
    },
    async (request, reply) => {
      const { headers, params, query } = request;
      const { exitAll = false } = query;
      const ifMatch = headers["if-match"];
      const by = actorOf(request);
      await remove(parts, params.id, { resource: RESOURCE, isExitAll: exitAll, by, ifMatch });
      return await reply.code(exitAll ? 202 : 204).send(null);
    },
  );
}
