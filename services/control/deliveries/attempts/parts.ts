import type { Host } from "#host";
import type { AuditLogParts } from "../../http/audit/parts.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { SettledParts } from "../flow/parts.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";

/** What the routes of attempts and of statistics work with. */
export interface AttemptParts extends DestinationLookup, AuditLogParts, SettledParts {
  readonly deliveries: {
    readonly index: Pick<
      DeliveryIndex,
      "countUpTo" | "listAttempts" | "knowsDestination" | "eventsOf" | "sumFlow" | "sumNames" | "sumRequests"
    >;
    readonly progress: Pick<Progress, "indexedUntilMs" | "offsets" | "untilCovers">;
  };
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
