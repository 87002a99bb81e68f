import type { Host } from "#host";
import type { RefusedCalls } from "#topics";
import type { PlaceReader } from "../../records/places/place-reader.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";
import type { Progress } from "../index/progress.ts";
import type { KnownSourceParts } from "../known-source.ts";

/** What the routes of refused calls work with. */
export interface RefusedParts extends KnownSourceParts {
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "countUpTo" | "listRefused">;
    readonly progress: Pick<Progress, "indexedUntilMs">;
  };
  readonly refusedCalls: PlaceReader<RefusedCalls>;
  readonly deletedUsers: Pick<DeletedUsers, "mayNameDeleted" | "refresh">;
  readonly host: Pick<Host, "setImmediate" | "setTimeout">;
}
