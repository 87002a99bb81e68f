// PUT /v1/audiences/{id}/members/{importId}, GET …/imports/{importId}, POST …/imports/{importId}/confirm (contract 10.8).

import type { Readable } from "node:stream";
import { SPACE_SOURCE } from "#contract";
import type { MembershipImport } from "#topics";
import { actorOf } from "../../http/caller.ts";
import { ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { ofSource } from "../../resources/destinations/configured.ts";
import { affectedBy } from "./affected.ts";
import { confirmImport, existingImport, startImport } from "./commands.ts";
import type { ImportParts } from "./parts.ts";
import { ImportParams, ImportView, importView, UploadBody, UploadQuery } from "./schemas.ts";
import { decodedBody } from "./upload/body.ts";
import { csvRows } from "./upload/csv-rows.ts";
import { ndjsonRows } from "./upload/ndjson-rows.ts";

const TAGS = ["audiences"];

/** Neither can be sent by a browser's form. */
const READERS: Readonly<Record<string, typeof csvRows>> = {
  "text/csv": csvRows,
  "application/x-ndjson": ndjsonRows,
};

export function addImportRoutes(app: ControlApp, parts: ImportParts): void {
  // In a scope of its own: no other route takes these types.
  void app.register((scope: ControlApp, _options, done) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
    addUploadRoute(scope, parts);
    done();
  });
  addReadRoute(app, parts);
  addConfirmRoute(app, parts);
}

function addUploadRoute(app: ControlApp, parts: ImportParts): void {
  app.put(
    "/v1/audiences/:id/members/:importId",
    {
      schema: {
        tags: TAGS,
        operationId: "importMembers",
        summary: "Upload the members of a list",
        description:
          "Nothing happens before the upload is whole; a wrong row refuses all of them. An importId counts once: a further upload under it changes nothing and is answered 200.",
        params: ImportParams,
        querystring: UploadQuery,
        body: UploadBody,
        response: { 200: ImportView, 202: ImportView },
      },
    },
    async (request, reply) => {
      const { body, headers, params, query } = request;
      const { id, importId } = params;
      const { hold: isHeldByRequest = false, mode = "replace" } = query;
      const read = readerOf(headers["content-type"]);
      const decoded = decodedBody(body as Readable, headers["content-encoding"]);
      try {
        const asked = { audienceId: id, importId, mode, isHeldByRequest };
        const upload = { ...asked, rows: read(decoded.stream), by: actorOf(request) };
        const started = await startImport(parts, upload);
        const path = `/v1/audiences/${id}/imports/${encodeURIComponent(importId)}`;
        return await reply
          .code(started.isNew ? 202 : 200)
          .header("location", path)
          .send(viewOf(parts, started.import));
      } finally {
        decoded.discard();
      }
    },
  );
}

function readerOf(contentType = ""): typeof csvRows {
  const [type = ""] = contentType.split(";", 1);
  const reader = READERS[type.trim().toLowerCase()];
  if (reader !== undefined) return reader;
  throw new ProblemError("unsupported_media_type", "send text/csv or application/x-ndjson");
}

function viewOf({ audiences, destinations }: ImportParts, one: MembershipImport) {
  const connected = destinations.in(ofSource(SPACE_SOURCE));
  return importView(one, affectedBy(one.audienceId, audiences.list(), connected));
}

function addReadRoute(app: ControlApp, parts: ImportParts): void {
  app.get(
    "/v1/audiences/:id/imports/:importId",
    {
      schema: {
        tags: TAGS,
        operationId: "getImport",
        summary: "How far an import is",
        params: ImportParams,
        response: { 200: ImportView },
      },
    },
    async ({ params: { id, importId } }) => viewOf(parts, existingImport(parts, id, importId)),
  );
}

function addConfirmRoute(app: ControlApp, parts: ImportParts): void {
  app.post(
    "/v1/audiences/:id/imports/:importId/confirm",
    {
      schema: {
        tags: TAGS,
        operationId: "confirmImport",
        summary: "Apply an import that is held",
        params: ImportParams,
        response: { 202: ImportView },
      },
    },
    async (request, reply) => {
      const { id: audienceId, importId } = request.params;
      const applied = await confirmImport(parts, { audienceId, importId, by: actorOf(request) });
      return await reply.code(202).send(viewOf(parts, applied));
    },
  );
}
