// GET /v1/sources/{id}/refused-calls[/{refusedId}].
import { type Static, Type } from "typebox";
import { formatDuration } from "#contract";
import { KEPT_MS, type RefusedCalls } from "#topics";
import { IdParams } from "../../http/fields.ts";
import { inTime, unavailable } from "../../http/in-time.ts";
import { notFound } from "../../http/problem.ts";
import { refreshAll } from "../../http/refresh.ts";
import { scannedPage } from "../../http/scanned-page.ts";
import type { ControlApp } from "../../http/server.ts";
import {
  isoTime,
  isoTimeOrNull,
  PAGE_FIELDS,
  RANGE_FIELDS,
  readRange,
  SCANNED_TEXT,
  timePageOf,
} from "../../http/time-pages.ts";
import type { ListedRefused } from "../index/refused-calls-table.ts";
import { checkSource } from "../known-source.ts";
import type { RefusedParts } from "./parts.ts";
import { CodeField, type NoBody, RefusedView, WholeRefusedView } from "./schemas.ts";

const TAGS = ["deliveries"];
const READ_WITHIN_MS = 5_000;

const RefusedQuery = Type.Object({
  code: Type.Optional(CodeField),
  userId: Type.Optional(Type.String({ minLength: 1, description: "Only those that name this user." })),
  ...RANGE_FIELDS,
  ...PAGE_FIELDS,
});

export function addRefusedRoutes(app: ControlApp, parts: RefusedParts): void {
  const { deliveries } = parts;
  app.get(
    "/v1/sources/:id/refused-calls",
    {
      schema: {
        tags: TAGS,
        operationId: "listRefusedCalls",
        summary: "What ingest refused of a source, newest first",
        description: `Kept for ${formatDuration(KEPT_MS.refusedCalls)}. Ten a second of a source have an entry of their own; the others are counted in one for each code. ${SCANNED_TEXT}`,
        params: IdParams,
        querystring: RefusedQuery,
        response: { 200: timePageOf(RefusedView) },
      },
    },
    async ({ params: { id: sourceId }, query }) => {
      await checkSource(parts, sourceId);
      const { code, userId } = query;
      const filter = { sourceId, ...readRange(query) };
      const isPlain = code === undefined && userId === undefined;
      const { found, page } = await scannedPage({
        ...{ query, host: parts.host },
        read: (rows) => deliveries.index.listRefused(filter, rows),
        // The index does not look up by them.
        accepts: (one) =>
          (code === undefined || one.code === code) &&
          (userId === undefined || one.userIds?.includes(userId) === true),
        markOf: ({ atMs, place }) => ({ atMs, place }),
        count: isPlain
          ? (most) => deliveries.index.countUpTo({ kind: "refusedCalls", filter }, most)
          : undefined,
      });
      return {
        data: found.map(viewOf),
        ...page,
        indexedUntil: isoTimeOrNull(deliveries.progress.indexedUntilMs("refusedCalls")),
      };
    },
  );
  app.get(
    "/v1/sources/:id/refused-calls/:refusedId",
    {
      schema: {
        tags: TAGS,
        operationId: "getRefusedCalls",
        summary: "One entry of them, with the body that was sent",
        params: Type.Object({ id: Type.String(), refusedId: Type.String() }),
        response: { 200: WholeRefusedView },
      },
    },
    async ({ params: { id: sourceId, refusedId } }) => {
      await checkSource(parts, sourceId);
      const [listed] = deliveries.index.listRefused({ sourceId, place: placeIn(refusedId) }, { limit: 1 });
      if (listed === undefined) throw notFound("entry of refused calls", refusedId, "refusedId");
      return { ...viewOf(listed), ...(await bodyOf(parts, { sourceId, listed })) };
    },
  );
}

const ID = /^rfc_([0-9a-z]{1,11})$/;

const idOf = (place: number): string => `rfc_${place.toString(36)}`;

/** -1, where nothing stands, for what is no id. */
function placeIn(id: string): number {
  return Number.parseInt(ID.exec(id)?.[1] ?? "-1", 36);
}

function viewOf({ atMs, place, ...shown }: ListedRefused): Static<typeof RefusedView> {
  return { id: idOf(place), at: isoTime(atMs), ...shown };
}

interface Named {
  readonly sourceId: string;
  readonly listed: ListedRefused;
}

async function bodyOf(parts: RefusedParts, { listed, sourceId }: Named) {
  const record = await readRecord(parts, listed.place);
  // After the body was read: a deletion that another process has taken meanwhile counts.
  await refreshAll([parts.deletedUsers], parts.host);
  const { atMs, userIds } = listed;
  if (parts.deletedUsers.mayNameDeleted({ sourceId, receivedAtMs: atMs, userIds }))
    return none("user_deleted");
  // A topic that was made again has others at its places.
  if (record?.sourceId !== sourceId || record.atMs !== atMs) return none("no_longer_kept");
  if (record.body === null) return none("not_kept");
  return { bodyText: record.body, isBodyCut: record.isBodyCut, noBody: null };
}

const none = (noBody: NoBody) => ({ bodyText: null, isBodyCut: false, noBody });

/** Undefined when its topic no longer has it. */
function readRecord({ host, refusedCalls }: RefusedParts, place: number): Promise<RefusedCalls | undefined> {
  const late = unavailable("Kafka does not give the refused call now");
  return inTime({ host, withinMs: READ_WITHIN_MS, late }, async (signal) =>
    (await refusedCalls.read([place], signal)).get(place),
  );
}
