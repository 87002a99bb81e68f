import type { Host } from "#host";
import type { DestinationConfig, ReplayStretch } from "#topics";
import type { DeliveryIndex } from "../../deliveries/index/delivery-index.ts";
import type { Progress } from "../../deliveries/index/progress.ts";
import type { DryRun } from "../../http/dry-run.ts";
import type { Ids } from "../../ids.ts";
import type { ChangeQueue } from "../../records/change-queue.ts";
import type { ReplayStore } from "../../records/replays/store.ts";
import type { CallReplay } from "./call-selection.ts";

/** What requests for replays work with. */
export interface ReplayParts {
  readonly replays: Pick<ReplayStore, "isLoaded" | "get" | "list" | "putVisibly" | "refresh">;
  readonly deliveries: {
    readonly index: Pick<DeliveryIndex, "findDeadLetter" | "countDeadLetters" | "findIssue">;
    readonly progress: Pick<Progress, "untilCovers">;
  };
  /** End of every partition of the dead letters now, by its number. */
  deadLetterEnds(): Promise<number[]>;
  /** To one that was deleted or is switched off, nothing is sent again. */
  readonly destinations: { get(id: string): Pick<DestinationConfig, "enabled" | "sourceIds"> | undefined };
  readonly ids: Pick<Ids, "newReplayId">;
  readonly host: Pick<Host, "setTimeout">;
  /** The clock, Unix milliseconds. */
  nowMs(): number;
}

/** What requests for replays of calls work with. */
export interface CallReplayParts extends Omit<ReplayParts, "deliveries" | "deadLetterEnds"> {
  /** What of delivery-jobs has jobs of calls that were accepted since then (Unix ms). */
  jobStretches(fromMs: number | undefined): Promise<ReplayStretch[]>;
  /** What of calls routers have done with that was accepted since then (Unix ms). */
  callStretches(fromMs: number | undefined): Promise<ReplayStretch[]>;
  /** As far as it comes before `signal`. */
  countCalls(replay: CallReplay, signal: AbortSignal): Promise<DryRun>;
  readonly changes: Pick<ChangeQueue, "run">;
}
