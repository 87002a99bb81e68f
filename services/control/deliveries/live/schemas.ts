// What a stream may be asked with.
import { Type } from "typebox";
import { TICKET_PARAMETER } from "../../http/tickets.ts";

const lastEventId = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    "The id of the last event that the caller had: what came since then is sent first, as far as it is held. A page whose EventSource begins anew has no header for it.",
});

/** Of a stream, and of the ticket for it. */
const STREAM_QUERY = { lastEventId: Type.Optional(lastEventId) };

export const TicketQuery = Type.Object(STREAM_QUERY);

export const StreamQuery = Type.Object({
  ...STREAM_QUERY,
  [TICKET_PARAMETER]: Type.Optional(
    Type.String({
      description: "Of POST …/live/ticket, in place of a token: an EventSource sends no Authorization.",
    }),
  ),
});

export const LastEventIdHeader = Type.Object({
  "last-event-id": Type.Optional(
    Type.String({
      maxLength: 100,
      description: "As lastEventId, before which it counts. An EventSource sends it when it comes again.",
    }),
  ),
});
