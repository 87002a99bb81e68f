import type { AuditLogParts } from "../audit/parts.ts";
import type { DeadLetterReader } from "../delivery-index/dead-letter-reader.ts";
import type { DeliveryIndex } from "../delivery-index/delivery-index.ts";
import type { Progress } from "../delivery-index/progress.ts";
import type { DestinationLookup } from "../destinations/existing.ts";
import type { ReplayStore } from "../replays/store.ts";

/** What the routes of dead letters work with. */
export interface DeadLetterParts extends DestinationLookup, AuditLogParts {
  readonly deliveries: {
    readonly index: Pick<
      DeliveryIndex,
      "countDeadLetters" | "findDeadLetter" | "knowsDestination" | "listDeadLetters"
    >;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly deadLetters: DeadLetterReader;
  readonly sources: { get(id: string): unknown };
  readonly replays: Pick<ReplayStore, "get" | "isLoaded" | "list">;
}
