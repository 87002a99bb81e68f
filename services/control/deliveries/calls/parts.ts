import type { Host } from "#host";
import type { DestinationConfig } from "#topics";
import type { ConfigStore } from "../../records/config-store.ts";
import type { ReplayStore } from "../../records/replays/store.ts";
import type { DestinationListing } from "../../resources/destinations/configured.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { WaitingReader } from "../waiting/reader.ts";

/** What the view of one call works with. */
export interface CallParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "listAttempts" | "listDeadLetters" | "listRoutedCalls">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly destinations: Pick<ConfigStore<DestinationConfig> & DestinationListing, "get" | "in">;
  readonly replays: Pick<ReplayStore, "list">;
  readonly deletedUsers: Pick<DeletedUsers, "mayBeOfDeleted">;
  readonly waiting: WaitingReader;
  /** How far the routers have committed calls, by partition. */
  routedUpTo(): Promise<ReadonlyMap<number, number>>;
  /** Whether the index has everything that stands in a topic now; false when it does not come so far in two seconds. */
  untilIndexed(kind: "deadLetters" | "routedCalls"): Promise<boolean>;
  readonly host: Pick<Host, "setTimeout">;
}
