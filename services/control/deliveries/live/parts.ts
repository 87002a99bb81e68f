import type { Host } from "#host";
import type { Tickets } from "../../http/tickets.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { SourceParts } from "../../resources/sources/parts.ts";
import type { Live } from "./live.ts";

/** What the routes of live events work with. */
export interface LiveRouteParts extends DestinationLookup {
  readonly sources: Pick<SourceParts["sources"], "get">;
  readonly host: Pick<Host, "now" | "setTimeout">;
  readonly live: Pick<Live, "listen" | "end" | "disconnect">;
}

/** What the routes of tickets for them work with. */
export interface TicketParts extends Pick<LiveRouteParts, "destinations" | "sources"> {
  readonly sessions: Pick<Tickets, "makeTicket">;
}
