import type { Host } from "#host";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { KnownSourceParts } from "../known-source.ts";
import type { WaitingListParts } from "../waiting/parts.ts";

/** What summaries of destinations are made of. */
export interface SummaryParts extends WaitingListParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "sumRequests">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}

/** Those of sources. */
export interface SourceSummaryParts extends Pick<KnownSourceParts, "sources"> {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "sumFlow">;
    readonly progress: Pick<Progress, "indexedUntilMs" | "offsets" | "untilCovers">;
  };
  readonly host: Pick<Host, "setImmediate">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
