// POST /v1/sources/{id}/live/ticket and POST /v1/destinations/{id}/live/ticket.
import { type Static, Type } from "typebox";
import type { Caller } from "../../http/auth.ts";
import { IdParams, TimeField } from "../../http/fields.ts";
import { ProblemError } from "../../http/problem.ts";
import type { ControlApp } from "../../http/server.ts";
import { TICKET_PARAMETER, urlOf } from "../../http/tickets.ts";
import { isoTime } from "../../http/time-pages.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { checkPresentSource } from "../known-source.ts";
import type { TicketParts } from "./parts.ts";
import { TicketQuery } from "./schemas.ts";

const TicketView = Type.Object(
  {
    ticket: Type.String({ description: "Whoever has it may open this stream: it belongs in no log." }),
    url: Type.String({ description: "Of the stream, with the ticket; from the root of the API." }),
    endsAt: TimeField,
  },
  {
    title: "LiveTicket",
    description: "Opens one stream.",
    examples: [
      {
        ticket: "WyJvcHMi….Xq3…",
        url: "/v1/sources/src_1/live?ticket=WyJvcHMi….Xq3…",
        endsAt: "2026-01-31T10:01:00.000Z",
      },
    ],
  },
);

const schemaOf = (operationId: string, of: string) => ({
  tags: ["live"],
  operationId,
  summary: `A ticket for the stream of a ${of}, for an EventSource, which sends no token`,
  description:
    "It opens this stream alone, within a minute, with the rights of whoever asked for it, and ends with their token or session. Nothing is stored. Needs the scope read. 409 where no token is configured: no ticket is needed.",
  params: IdParams,
  querystring: TicketQuery,
  response: { 201: TicketView },
});

// Nothing is changed: whoever may watch may ask, and an Idempotency-Key keeps no ticket.
const config = { scope: "read" } as const;

export function addTicketRoutes(app: ControlApp, parts: TicketParts): void {
  app.post(
    "/v1/sources/:id/live/ticket",
    { config, schema: schemaOf("createSourceTicket", "source") },
    async ({ caller, params, query }, reply) => {
      checkPresentSource(parts, params.id);
      reply.code(201).header("cache-control", "no-store");
      return ticketFor(`/v1/sources/${encodeURIComponent(params.id)}/live`, { caller, parts, query });
    },
  );
  app.post(
    "/v1/destinations/:id/live/ticket",
    { config, schema: schemaOf("createDestinationTicket", "destination") },
    async ({ caller, params, query }, reply) => {
      const { id } = existingDestination(parts, params.id);
      reply.code(201).header("cache-control", "no-store");
      return ticketFor(`/v1/destinations/${encodeURIComponent(id)}/live`, { caller, parts, query });
    },
  );
}

interface Asked {
  readonly caller: Caller;
  readonly parts: Pick<TicketParts, "sessions">;
  readonly query: Static<typeof TicketQuery>;
}

function ticketFor(path: string, { caller, parts, query }: Asked): Static<typeof TicketView> {
  const { name, signIn } = caller;
  if (signIn.by === "none")
    throw new ProblemError("conflict", "no token is configured: this machine needs no ticket");
  const session = signIn.by === "session" ? signIn.session : undefined;
  const parameters = new URLSearchParams(query);
  const made = parts.sessions.makeTicket(urlOf(path, parameters), {
    token: { name, digest: signIn.digest },
    session,
  });
  parameters.set(TICKET_PARAMETER, made.text);
  return { ticket: made.text, url: urlOf(path, parameters), endsAt: isoTime(made.endsAtMs) };
}
