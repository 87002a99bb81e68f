// /v1/sources (contract 10.2).
import { SPACE_SOURCE } from "#contract";
import { actorOf } from "../../http/caller.ts";
import { checkIfMatch, entityTag } from "../../http/entity-tag.ts";
import { IdParams, IfMatch, NoContent } from "../../http/fields.ts";
import { labelProblems } from "../../http/labels.ts";
import { listPage } from "../../http/lists.ts";
import { conflictResponse } from "../../http/openapi.ts";
import { pageOf } from "../../http/pages.ts";
import { ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { ofSource } from "../destinations/configured.ts";
import { existingSource, updateSource } from "./change.ts";
import type { SourceParts } from "./parts.ts";
import { CreateSourceBody, PatchSourceBody, SourcesQuery, SourceView } from "./schemas.ts";
import { createSource, patchSource, shownSource } from "./source.ts";

const TAGS = ["sources"];

export function addSourceRoutes(app: ControlApp, parts: SourceParts): void {
  addCollectionRoutes(app, parts);
  addSingleRoutes(app, parts);
}

function addCollectionRoutes(app: ControlApp, parts: SourceParts): void {
  const { sources, changes, ids, telemetry } = parts;
  app.post(
    "/v1/sources",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "createSource",
        summary: "Make a source, with its first write key",
        body: CreateSourceBody,
        response: { 201: SourceView },
      },
    },
    async (request, reply) => {
      checkBody(request);
      const { id = ids.newSourceId(), ...given } = request.body;
      const source = await changes.run(async () => {
        if (id === SPACE_SOURCE || sources.get(id) !== undefined)
          throw new ProblemError("conflict", `the id ${id} is used by another source`);
        const created = createSource({ ...given, id, writeKey: ids.newWriteKey() }, parts.nowMs());
        await sources.replace({ before: undefined, after: created, by: actorOf(request) });
        return created;
      });
      telemetry.changed("source", "created");
      return await reply
        .code(201)
        .header("location", `/v1/sources/${id}`)
        .header("etag", entityTag(source))
        .send(shownSource(source, parts, request.caller));
    },
  );
  app.get(
    "/v1/sources",
    {
      schema: {
        tags: TAGS,
        operationId: "listSources",
        summary: "List the sources, oldest first unless asked otherwise",
        querystring: SourcesQuery,
        response: { 200: pageOf(SourceView) },
      },
    },
    async (request) => {
      const list = { all: sources, valueOf: (id: string) => sources.peek(id) };
      const { data, ...rest } = await listPage(list, request.query);
      return { data: data.map((source) => shownSource(source, parts, request.caller)), ...rest };
    },
  );
}

function addSingleRoutes(app: ControlApp, parts: SourceParts): void {
  const { sources, changes, telemetry } = parts;
  app.get(
    "/v1/sources/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "getSource",
        summary: "One source, with its write keys",
        params: IdParams,
        response: { 200: SourceView },
      },
    },
    async (request, reply) => {
      const source = existingSource(parts, request.params.id);
      return await reply.header("etag", entityTag(source)).send(shownSource(source, parts, request.caller));
    },
  );
  app.patch(
    "/v1/sources/:id",
    {
      attachValidation: true,
      schema: {
        tags: TAGS,
        operationId: "patchSource",
        summary: "Rename a source, switch it on or off, change its labels",
        params: IdParams,
        headers: IfMatch,
        body: PatchSourceBody,
        response: { 200: SourceView },
      },
    },
    async (request, reply) => {
      const source = await updateSource(parts, request.params.id, {
        ifMatch: request.headers["if-match"],
        by: actorOf(request),
        change(before) {
          checkBody(request, labelProblems(request.body, before.labels));
          return patchSource(before, request.body, parts.nowMs());
        },
      });
      return await reply.header("etag", entityTag(source)).send(shownSource(source, parts, request.caller));
    },
  );
  app.delete(
    "/v1/sources/:id",
    {
      schema: {
        tags: TAGS,
        operationId: "deleteSource",
        summary: "Delete a source that no destination is connected to",
        params: IdParams,
        headers: IfMatch,
        response: { 204: NoContent, ...conflictResponse },
      },
    },
    async (request, reply) => {
      const { headers, params } = request;
      const { id } = params;
      await changes.run(async () => {
        const before = existingSource(parts, id);
        checkIfMatch(headers["if-match"], before);
        refuseWhileConnected(parts, id);
        await sources.discard(before, actorOf(request));
      });
      telemetry.changed("source", "deleted");
      return await reply.code(204).send(null);
    },
  );
}

/** A destination never names a source that is not there. */
function refuseWhileConnected({ destinations }: SourceParts, sourceId: string): void {
  const connected = destinations.in(ofSource(sourceId));
  if (connected.length === 0) return;
  const named = connected.slice(0, 5).map(({ id }) => id);
  const more = connected.length > named.length ? ` and ${connected.length - named.length} more` : "";
  throw new ProblemError("conflict", `destinations are connected to it: ${named.join(", ")}${more}`);
}
