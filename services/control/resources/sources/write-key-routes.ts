// /v1/sources/{id}/write-keys: rotation of write keys (contract 10.2).
import { Type } from "typebox";
import type { SourceConfig } from "#topics";
import { actorOf } from "../../http/caller.ts";
import { entityTag } from "../../http/entity-tag.ts";
import { IdParams, IfMatch, NoContent } from "../../http/fields.ts";
import { conflictResponse } from "../../http/openapi.ts";
import { ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { updateSource } from "./change.ts";
import type { SourceParts } from "./parts.ts";
import { SourceView } from "./schemas.ts";
import { addWriteKey, endWriteKey, shownSource } from "./source.ts";

const TAGS = ["sources"];
const KeyParams = Type.Object({ id: Type.String(), key: Type.String() });
/** A rotation needs two; more are allowed for slow ones, without end they are not. */
const MAX_WRITE_KEYS = 20;

export function addWriteKeyRoutes(app: ControlApp, parts: SourceParts): void {
  const { ids, nowMs } = parts;
  app.post(
    "/v1/sources/:id/write-keys",
    {
      schema: {
        tags: TAGS,
        operationId: "addWriteKey",
        summary: "Add a write key, the last of the answer's; the others go on working",
        params: IdParams,
        headers: IfMatch,
        response: { 201: SourceView },
      },
    },
    async (request, reply) => {
      const { headers, params } = request;
      const { id } = params;
      const change = (before: SourceConfig): SourceConfig => {
        if (before.writeKeys.length >= MAX_WRITE_KEYS) {
          throw new ProblemError(
            "conflict",
            `a source has at most ${MAX_WRITE_KEYS} write keys: end one first`,
          );
        }
        return addWriteKey(before, ids.newWriteKey(), nowMs());
      };
      const source = await updateSource(parts, id, {
        ifMatch: headers["if-match"],
        by: actorOf(request),
        change,
      });
      return await reply
        .code(201)
        .header("etag", entityTag(source))
        .send(shownSource(source, parts, request.caller));
    },
  );
  app.delete(
    "/v1/sources/:id/write-keys/:key",
    {
      schema: {
        tags: TAGS,
        operationId: "endWriteKey",
        summary: "End a write key that is not the last one",
        params: KeyParams,
        headers: IfMatch,
        response: { 204: NoContent, ...conflictResponse },
      },
    },
    async (request, reply) => {
      const { headers, params } = request;
      const { id, key } = params;
      const change = (before: SourceConfig): SourceConfig => {
        if (!before.writeKeys.includes(key))
          throw new ProblemError("not_found", `source ${id} has no such write key`);
        if (before.writeKeys.length === 1) {
          throw new ProblemError(
            "conflict",
            "it is the last write key: add another first, or disable the source",
          );
        }
        return endWriteKey(before, key, nowMs());
      };
      await updateSource(parts, id, { ifMatch: headers["if-match"], by: actorOf(request), change });
      return await reply.code(204).send(null);
    },
  );
}
