import type { Host } from "#host";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { SourceParts } from "../../resources/sources/parts.ts";
import type { Live } from "./live.ts";

/** What the routes of live events work with. */
export interface LiveRouteParts extends DestinationLookup {
  readonly sources: Pick<SourceParts["sources"], "get">;
  readonly host: Pick<Host, "now" | "setTimeout">;
  readonly live: Pick<Live, "listen" | "end" | "disconnect">;
}
