import type { Host } from "#host";
import type { AuditLogParts } from "../audit/parts.ts";
import type { DeliveryIndex } from "../delivery-index/delivery-index.ts";
import type { Progress } from "../delivery-index/progress.ts";
import type { DestinationLookup } from "../destinations/existing.ts";

/** What the routes of attempts and of statistics work with. */
export interface AttemptParts extends DestinationLookup, AuditLogParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "listAttempts" | "listMinutes" | "knowsDestination" | "sumFlow">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
