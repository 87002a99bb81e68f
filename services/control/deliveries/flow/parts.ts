import type { Host } from "#host";
import type { Breakers } from "../../records/breakers/breakers.ts";
import type { DestinationListing } from "../../resources/destinations/configured.ts";
import type { DestinationParts } from "../../resources/destinations/parts.ts";
import type { SourceListing } from "../../resources/sources/configured.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { KnownSourceParts } from "../known-source.ts";
import type { WaitingCounter } from "../waiting/waiting-counter.ts";

/** What says which of the counted calls wait. */
export interface SettledParts {
  readonly deliveries: { readonly progress: Pick<Progress, "offsets" | "untilCovers"> };
  readonly waitingCounter: Pick<WaitingCounter, "count">;
}

/** What statistics of calls are read from. */
export interface FlowParts extends SettledParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "sumFlow" | "sumNames" | "sumRequests">;
    readonly progress: Pick<Progress, "indexedUntilMs" | "offsets" | "untilCovers">;
  };
  readonly host: Pick<Host, "setImmediate">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}

/** What the picture of the flow is made of. */
export interface BetweenParts extends Pick<DestinationParts, "health">, SettledParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "sumBetween">;
    readonly progress: Pick<Progress, "indexedUntilMs" | "offsets" | "untilCovers">;
  };
  readonly sources: Pick<SourceListing, "peek" | "placeOf" | "rows" | "size">;
  readonly destinations: Pick<DestinationListing, "hasAny" | "idsIn" | "peek" | "placeOf" | "rows" | "size">;
  readonly breakers: Pick<Breakers, "of" | "urls">;
  readonly host: Pick<Host, "setImmediate">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}

/** What the routes of statistics of sources work with. */
export interface FlowRouteParts extends FlowParts, KnownSourceParts {
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
}
