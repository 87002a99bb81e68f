import type { DeadLetterReader } from "../../records/places/place-reader.ts";
import type { ReplayStore } from "../../records/replays/store.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { KnownSourceParts } from "../known-source.ts";

/** What the routes of dead letters work with. */
export interface DeadLetterParts extends DestinationLookup, KnownSourceParts {
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
  readonly replays: Pick<ReplayStore, "get" | "isLoaded" | "list">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
