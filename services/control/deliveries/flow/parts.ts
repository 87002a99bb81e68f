import type { Host } from "#host";
import type { AuditLogParts } from "../../http/audit/parts.ts";
import type { SourceParts } from "../../resources/sources/parts.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";

/** What statistics of calls are read from. */
export interface FlowParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "sumFlow">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly host: Pick<Host, "setImmediate">;
}

/** What the routes of statistics of sources work with. */
export interface FlowRouteParts extends FlowParts, AuditLogParts {
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
  readonly sources: Pick<SourceParts["sources"], "get">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
