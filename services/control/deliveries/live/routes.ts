// GET /v1/sources/{id}/live and GET /v1/destinations/{id}/live.
import type { Readable } from "node:stream";
import type { FastifyReply } from "fastify";
import { type Static, Type } from "typebox";
import { formatDuration } from "#contract";
import type { Host } from "#host";
import type { Caller } from "../../http/auth.ts";
import { IdParams } from "../../http/fields.ts";
import type { ControlApp } from "../../http/server.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { checkPresentSource } from "../known-source.ts";
import { LIVE_BOUNDS } from "./listeners.ts";
import type { LiveRouteParts } from "./parts.ts";
import { LastEventIdHeader, StreamQuery } from "./schemas.ts";

const EVENT_STREAM = "text/event-stream";

const Events = Type.Unsafe<Readable>({
  type: "string",
  description:
    "Events, each with JSON: listening, when nothing is missed any more; accepted and refused, with the first 4,096 characters of the body; delivery; left_out with the numbers of events over the bounds and of records that were not looked at; missed, to a caller with Last-Event-ID, with the number of events that are held no more, null where it is not known. A comment is a heartbeat.",
});

const BOUNDS = `At most ${LIVE_BOUNDS.eventsPerSecond} events a second are sent, and no more than a listener takes; the rest is counted. ${LIVE_BOUNDS.listeners} may listen to one process, ${LIVE_BOUNDS.listenersOfToken} of them with one token. The last ${LIVE_BOUNDS.heldCharacters / 1_024} KiB of events are held for ${formatDuration(LIVE_BOUNDS.heldMs)} after the last listener has gone, by the process that was asked.`;

interface Asked {
  readonly caller: Pick<Caller, "name" | "ticketId">;
  readonly headers: Static<typeof LastEventIdHeader>;
  readonly query: Static<typeof StreamQuery>;
}

function listenerOf({ caller, headers, query }: Asked) {
  const { name: token, ticketId } = caller;
  return { token, ticketId, lastId: headers["last-event-id"] ?? query.lastEventId };
}

const schemaOf = (operationId: string, summary: string, description: string) => ({
  tags: ["live"],
  operationId,
  summary,
  description: `${description} ${BOUNDS}`,
  params: IdParams,
  querystring: StreamQuery,
  headers: LastEventIdHeader,
  produces: [EVENT_STREAM],
  response: { 200: Events },
});

export function addLiveRoutes(app: ControlApp, parts: LiveRouteParts): void {
  // A HEAD would be answered by the same handler, and listen without end.
  const options = { exposeHeadRoute: false, config: { takesTicket: true } };
  const source = schemaOf(
    "watchSource",
    "Calls of a source as they are accepted or refused, and their deliveries, as they happen",
    "Of the deliveries those that get a record, about a second late.",
  );
  app.get("/v1/sources/:id/live", { ...options, schema: source }, async (request, reply) => {
    const { caller, params } = request;
    checkPresentSource(parts, params.id);
    const events = parts.live.listen({ sourceId: params.id }, listenerOf(request));
    return await sendEvents(reply, endedWith(caller, events, parts.host));
  });
  const destination = schemaOf(
    "watchDestination",
    "Deliveries to a destination, as they happen",
    "Those that get a record, about a second late: every failure up to 50 a second and of the successes about one, all with HOOKLINE_RECORDED_ATTEMPTS=all.",
  );
  app.get("/v1/destinations/:id/live", { ...options, schema: destination }, async (request, reply) => {
    const { caller, params } = request;
    const { id } = existingDestination(parts, params.id);
    const events = parts.live.listen({ destinationId: id }, listenerOf(request));
    return await sendEvents(reply, endedWith(caller, events, parts.host));
  });
}

/** They are cut off when the session ends by which they were asked for. */
export function endedWith(
  { signIn }: Pick<Caller, "signIn">,
  events: Readable,
  host: Pick<Host, "now" | "setTimeout">,
): Readable {
  if (signIn.by !== "session") return events;
  const timer = host.setTimeout(() => events.destroy(), Math.max(0, signIn.session.endsAtMs - host.now()));
  events.once("close", () => timer.clear());
  return events;
}

async function sendEvents(reply: FastifyReply, events: Readable): Promise<FastifyReply> {
  // A proxy that gathers answers would keep the events back.
  return await reply
    .type(EVENT_STREAM)
    .headers({ "cache-control": "no-store", "x-accel-buffering": "no" })
    .send(events);
}
