import type { MemberParts } from "../../resources/audiences/member-parts.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";

/** What the answer about one profile works with. */
export interface ProfileParts extends Pick<MemberParts, "audiences" | "host" | "profiles" | "slices"> {
  readonly suppressed: { isSuppressed(userId: string): boolean };
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "lookAtRoutedCalls" | "routedCallPartitions">;
  };
}
