import type { Host } from "#host";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { KnownSourceParts } from "../known-source.ts";

/** What statistics of calls are read from. */
export interface FlowParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "sumFlow">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly host: Pick<Host, "setImmediate">;
}

/** What the routes of statistics of sources work with. */
export interface FlowRouteParts extends FlowParts, KnownSourceParts {
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
