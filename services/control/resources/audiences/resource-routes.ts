// Routes of one resource: audiences and computed traits are the same kind of record, made, read, changed and deleted in the same way.
import type { Static, TObject, TSchema } from "typebox";
import type { AudienceConfig } from "#topics";
import { actorOf } from "../../http/caller.ts";
import { entityTag } from "../../http/entity-tag.ts";
import { IdParams, IfMatch, NoContent } from "../../http/fields.ts";
import { conflictResponse } from "../../http/openapi.ts";
import { type PageQuery, page, pageOf } from "../../http/pages.ts";
import type { ControlApp } from "../../http/server.ts";
import { checkBody } from "../../http/validation.ts";
import { patch, remove } from "./commands.ts";
import { createCreations } from "./creations.ts";
import { type Filters, filtered } from "./filters.ts";
import type { AudienceParts } from "./parts.ts";
import { preparationOf } from "./preparation.ts";
import { type AudienceResource, existing, existingOf } from "./resource.ts";
import type { AudienceStatus } from "./status.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
}

/** A view that says how long it takes. */
interface Estimated {
  readonly progress: Pick<NonNullable<AudienceStatus["progress"]>, "remainingSeconds"> | null;
}

type Named = "create" | "list" | "get" | "patch" | "remove";

/** What sets one resource apart from the other. */
export interface ResourceShape<View extends Estimated> {
  readonly resource: AudienceResource;
  readonly path: string;
  readonly tag: string;
  readonly operations: Readonly<Record<Named, Operation>>;
  readonly createBody: TSchema;
  readonly patchBody: TSchema;
  readonly listQuery: TObject;
  readonly viewSchema: TSchema;
  view(config: AudienceConfig, parts: AudienceParts): View;
  readonly removal: {
    readonly query: TObject;
    /** The answer when the members are told first; undefined where nobody is. */
    readonly exitAllCode?: 202;
  };
}

export function addResourceRoutes<View extends Estimated>(
  app: ControlApp,
  parts: AudienceParts,
  shape: ResourceShape<View>,
): void {
  addCreateRoute(app, parts, shape);
  addReadRoutes(app, parts, shape);
  addPatchRoute(app, parts, shape);
  addDeleteRoute(app, parts, shape);
}

function addCreateRoute<View extends Estimated>(
  app: ControlApp,
  parts: AudienceParts,
  { createBody, operations, path, resource, tag, view, viewSchema }: ResourceShape<View>,
): void {
  const create = createCreations(parts);
  app.post(
    path,
    {
      attachValidation: true,
      schema: {
        tags: [tag],
        ...operations.create,
        body: createBody,
        response: { 201: viewSchema },
      },
    },
    async (request, reply) => {
      const made = await create({
        resource,
        by: actorOf(request),
        body: request.body,
        check: (problems) => checkBody(request, problems),
      });
      return await reply
        .code(201)
        .header("location", `${path}/${made.id}`)
        .header("etag", entityTag(made))
        .send(await withEstimate(view(made, parts), made, parts));
    },
  );
}

/** While no partition has begun it, how long it takes follows from the log's size. Of one that is asked for alone: a list says null. */
async function withEstimate<View extends Estimated>(
  view: View,
  made: AudienceConfig,
  parts: AudienceParts,
): Promise<View> {
  const { progress } = view;
  if (progress === null || progress.remainingSeconds !== null) return view;
  const preparation = await preparationOf(parts, made, 0);
  return { ...view, progress: { ...progress, remainingSeconds: preparation?.seconds ?? null } };
}

function addReadRoutes<View extends Estimated>(
  app: ControlApp,
  parts: AudienceParts,
  { listQuery, operations, path, resource, tag, view, viewSchema }: ResourceShape<View>,
): void {
  app.get(
    path,
    {
      schema: {
        tags: [tag],
        ...operations.list,
        querystring: listQuery,
        response: { 200: pageOf(viewSchema) },
      },
    },
    async (request) => {
      const query = request.query as Filters & Static<typeof PageQuery>;
      const { data, ...rest } = page(
        filtered(existingOf(parts, resource), query, parts),
        query,
        ({ definition }) => definition?.length ?? 0,
      );
      return { data: data.map((one) => view(one, parts)), ...rest };
    },
  );
  app.get(
    `${path}/:id`,
    {
      schema: {
        tags: [tag],
        ...operations.get,
        params: IdParams,
        response: { 200: viewSchema },
      },
    },
    async ({ params }, reply) => {
      const found = existing(parts, resource, params.id);
      const shown = await withEstimate(view(found, parts), found, parts);
      return await reply.header("etag", entityTag(found)).send(shown);
    },
  );
}

function addPatchRoute<View extends Estimated>(
  app: ControlApp,
  parts: AudienceParts,
  { operations, patchBody, path, resource, tag, view, viewSchema }: ResourceShape<View>,
): void {
  app.patch(
    `${path}/:id`,
    {
      attachValidation: true,
      schema: {
        tags: [tag],
        ...operations.patch,
        params: IdParams,
        headers: IfMatch,
        body: patchBody,
        response: { 200: viewSchema },
      },
    },
    async (request, reply) => {
      const changed = await patch(parts, request.params.id, {
        resource,
        by: actorOf(request),
        ifMatch: request.headers["if-match"],
        body: request.body,
        check: (problems) => checkBody(request, problems),
      });
      const shown = await withEstimate(view(changed, parts), changed, parts);
      return await reply.header("etag", entityTag(changed)).send(shown);
    },
  );
}

function addDeleteRoute<View extends Estimated>(
  app: ControlApp,
  parts: AudienceParts,
  { operations, path, removal, resource, tag }: ResourceShape<View>,
): void {
  app.delete(
    `${path}/:id`,
    {
      schema: {
        tags: [tag],
        ...operations.remove,
        params: IdParams,
        headers: IfMatch,
        querystring: removal.query,
        response: {
          ...(removal.exitAllCode !== undefined && { [removal.exitAllCode]: NoContent }),
          204: NoContent,
          // Audiences may name it.
          ...conflictResponse,
        },
      },
    },
    async (request, reply) => {
      const { headers, params } = request;
      const { exitAll = false } = request.query as { readonly exitAll?: boolean };
      const ifMatch = headers["if-match"];
      await remove(parts, params.id, { resource, isExitAll: exitAll, by: actorOf(request), ifMatch });
      return await reply.code(exitAll ? 202 : 204).send(null);
    },
  );
}
