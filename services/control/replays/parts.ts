import type { DestinationConfig } from "#topics";
import type { DeliveryIndex } from "../delivery-index/delivery-index.ts";
import type { Progress } from "../delivery-index/progress.ts";
import type { Ids } from "../ids.ts";
import type { ReplayStore } from "./store.ts";

/** What requests for replays work with. */
export interface ReplayParts {
  readonly replays: Pick<ReplayStore, "isLoaded" | "get" | "list" | "putVisibly">;
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "findDeadLetter" | "countDeadLetters">;
    readonly progress: Pick<Progress, "untilCovers">;
  };
  /** End of every partition of the dead letters now, by its number. */
  deadLetterEnds(): Promise<number[]>;
  /** To one that was deleted or is switched off, nothing is sent again. */
  readonly destinations: { get(id: string): Pick<DestinationConfig, "enabled"> | undefined };
  readonly ids: Pick<Ids, "newReplayId">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}
