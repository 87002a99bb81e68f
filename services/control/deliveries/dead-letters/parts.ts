import type { AuditLogParts } from "../../http/audit/parts.ts";
import type { DeadLetterReader } from "../../records/places/place-reader.ts";
import type { ReplayStore } from "../../records/replays/store.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";

/** What the routes of dead letters work with. */
export interface DeadLetterParts extends DestinationLookup, AuditLogParts {
  readonly deliveries: {
    readonly index: Pick<
      DeliveryIndex,
      | "countDeadLetters"
      | "countUpTo"
      | "findDeadLetter"
      | "findIssue"
      | "knowsDestination"
      | "listDeadLetters"
    >;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly deadLetters: DeadLetterReader;
  readonly deletedUsers: Pick<DeletedUsers, "isOfDeleted" | "refresh">;
  readonly sources: { get(id: string): unknown };
  readonly replays: Pick<ReplayStore, "get" | "isLoaded" | "list">;
}
