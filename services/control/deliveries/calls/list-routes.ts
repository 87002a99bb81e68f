// GET /v1/sources/{id}/calls.
import { type Static, Type } from "typebox";
import { CALL_TYPES, type CallType, DROP_REASONS, formatDuration } from "#contract";
import type { Host } from "#host";
import { KEPT_MS } from "#topics";
import { IdParams } from "../../http/fields.ts";
import { nullableString } from "../../http/nullable.ts";
import { PassedOverReasonField } from "../../http/reason-fields.ts";
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
import { MOST_CALLS_COUNTED } from "../../http/totals.ts";
import { readUser, USER_FIELDS, USER_VIEW } from "../../http/user-fields.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { CallOfSource } from "../index/routed-calls-table.ts";
import { checkSource, type KnownSourceParts } from "../known-source.ts";
import { isOf } from "../waiting/find.ts";

export interface SourceCallsParts extends KnownSourceParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "countCallsOfSource" | "listCallsOfSource">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
}

const OUTCOMES = ["routed", ...DROP_REASONS];
const OutcomeField = Type.Unsafe<string>({
  type: "string",
  enum: OUTCOMES,
  description: "routed, or why it went nowhere; duplicate for a copy.",
});

const SourceCallsQuery = Type.Object({
  outcome: Type.Optional(OutcomeField),
  destinationId: Type.Optional(
    Type.String({ minLength: 1, description: "Only calls that this destination got a job of." }),
  ),
  passedOverBy: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "Only calls that this destination did not get, though it was connected and on; with passedOverReason for this reason.",
    }),
  ),
  passedOverReason: Type.Optional(PassedOverReasonField),
  type: Type.Optional(Type.Unsafe<CallType>({ type: "string", enum: [...CALL_TYPES] })),
  event: Type.Optional(Type.String({ minLength: 1, description: "Only track calls of this name." })),
  messageId: Type.Optional(Type.String({ minLength: 1 })),
  ...USER_FIELDS,
  ...RANGE_FIELDS,
  ...PAGE_FIELDS,
});

const SourceCallView = Type.Object(
  {
    acceptedAt: Type.String({ format: "date-time" }),
    messageId: Type.String(),
    ...USER_VIEW,
    type: Type.String(),
    event: nullableString("Name of a track call."),
    outcome: OutcomeField,
    destinationIds: Type.Array(Type.String(), { description: "Of those that it was sent to." }),
    passedOver: Type.Array(Type.Object({ destinationId: Type.String(), reason: PassedOverReasonField }), {
      description: "The other destinations that were connected and on.",
    }),
  },
  { title: "SourceCall", description: "One call that was accepted." },
);

export function addSourceCallsRoute(app: ControlApp, parts: SourceCallsParts): void {
  app.get(
    "/v1/sources/:id/calls",
    {
      schema: {
        tags: ["deliveries"],
        operationId: "listSourceCalls",
        summary: "A source's calls, newest first",
        description: `What routers record of each call (HOOKLINE_RECORDED_CALLS=all, the default), kept for ${formatDuration(KEPT_MS.routedCalls)}; \`GET /v1/calls/{messageId}\` has one with its requests. ${SCANNED_TEXT}`,
        params: IdParams,
        querystring: SourceCallsQuery,
        response: { 200: timePageOf(SourceCallView) },
      },
    },
    async ({ params: { id: sourceId }, query }) => {
      await checkSource(parts, sourceId);
      const { index, progress } = parts.deliveries;
      const indexedUntil = isoTimeOrNull(progress.indexedUntilMs("routedCalls"));
      const filter = { sourceId, ...readRange(query) };
      const isPlain = NARROWING.every((name) => query[name] === undefined);
      const { found, page } = await scannedPage({
        ...{ query, host: parts.host },
        read: (rows) => index.listCallsOfSource(filter, rows),
        accepts: callTest(query),
        markOf: ({ place, receivedAtMs }) => ({ atMs: receivedAtMs, place }),
        most: MOST_CALLS_COUNTED,
        count: isPlain ? (most) => index.countCallsOfSource(filter, most) : undefined,
      });
      return { data: found.map(viewOf), ...page, indexedUntil };
    },
  );
}

/** What the index does not look up by. */
const NARROWING = [
  "anonymousId",
  "destinationId",
  "event",
  "messageId",
  "outcome",
  "passedOverBy",
  "passedOverReason",
  "type",
  "userId",
] as const;

/** Throws a 422. */
function callTest(query: Static<typeof SourceCallsQuery>): (call: CallOfSource) => boolean {
  const { destinationId, event, messageId, outcome, type } = query;
  const user = readUser(query);
  return (call) =>
    !call.isSaidAgain &&
    (outcome === undefined || call.outcome === outcome) &&
    (destinationId === undefined || call.destinationIds.includes(destinationId)) &&
    (type === undefined || call.type === type) &&
    (event === undefined || call.event === event) &&
    (messageId === undefined || call.messageId === messageId) &&
    isPassedOver(call, query) &&
    isOf(user, call);
}

function isPassedOver(
  { passedOver }: CallOfSource,
  { passedOverBy: by, passedOverReason: reason }: Static<typeof SourceCallsQuery>,
): boolean {
  if (by === undefined && reason === undefined) return true;
  return passedOver.some(
    (one) =>
      (by === undefined || one.destinationId === by) && (reason === undefined || one.reason === reason),
  );
}

function viewOf(call: CallOfSource): Static<typeof SourceCallView> {
  const { anonymousId, destinationIds, event, messageId, outcome, passedOver, type, userId } = call;
  return {
    acceptedAt: isoTime(call.receivedAtMs),
    ...{ messageId, userId, anonymousId, type, event, outcome },
    destinationIds: [...destinationIds],
    passedOver: passedOver.map((one) => ({ ...one })),
  };
}
