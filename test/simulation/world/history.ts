import type { DoneRun, RawRecord, TopicPartition } from "#kafka";
import type { Request } from "#testing";
import type { WaitingCount } from "../../../services/control/deliveries/waiting/kept-waiting.ts";
import type { CallPlan, DestinationPlan } from "../plan/plan.ts";

/** A destination as the operator has written it; undefined: deleted. */
interface WrittenDestination {
  readonly id: string;
  readonly config: (DestinationPlan & { readonly enabled: boolean }) | undefined;
}

/** One request to the control API about a destination. */
export interface WishStep {
  /** Of the wish in the plan. */
  readonly id: string;
  readonly destinationId: string;
  readonly deed:
    | "pause"
    | "resume"
    | "switch_off"
    | "switch_on"
    | "connect"
    | "disconnect"
    | "retry"
    | "delete"
    | "other_webhooks";
  /** Of a retry: which of the waiting calls; all of them when neither is said. */
  readonly messageIds?: readonly string[] | undefined;
  readonly userId?: string | undefined;
}

/** While a fault lasts, what it may cost is looked at so often: it disturbs anew. */
export const DISTURBS_EVERY_MS = 1_000;

/** One thing that happened, as somebody outside of all processes saw it. */
export type Happening = { readonly atMs: number } & (
  | { readonly kind: "stored"; readonly call: CallPlan; readonly isRepeated: boolean }
  | { readonly kind: "configured"; readonly destination: WrittenDestination }
  /** Somebody who asked for a replay, or for its end, was told that it is so. */
  | { readonly kind: "replay_begun" | "replay_cancelled"; readonly replayId: string }
  | { readonly kind: "regulated"; readonly regulationId: string }
  /** An upload, or the confirmation of an import, was answered 2xx. It was asked for the first time at `askedAtMs`. */
  | {
      readonly kind: "imported";
      readonly deed: "upload" | "confirm";
      /** Id of the import's record. */
      readonly importKey: string;
      readonly askedAtMs: number;
    }
  /** It was sent for the first time; answered 2xx; refused for good. */
  | {
      readonly kind: "wished";
      readonly state: "asked" | "granted" | "refused" | "said_done";
      readonly wish: WishStep;
    }
  | { readonly kind: "appended"; readonly record: RawRecord; readonly process: string }
  | {
      readonly kind: "committed";
      readonly groupId: string;
      readonly partition: TopicPartition;
      readonly offset: number;
      /** What it says is done beyond the offset. */
      readonly ahead: readonly DoneRun[];
      readonly process: string;
    }
  /** A group's coordinator does not know its last commits any more: this is what it has; below 0 where it has none. */
  | {
      readonly kind: "commits_lost";
      readonly groupId: string;
      readonly partition: TopicPartition;
      readonly offset: number;
    }
  /** A broker has removed what was below the offset. */
  | { readonly kind: "removed"; readonly partition: TopicPartition; readonly below: number }
  /** A log has lost what it held from the one offset to the other, exclusive: others are written there. */
  | {
      readonly kind: "cut";
      readonly partition: TopicPartition;
      readonly fromOffset: number;
      readonly toOffset: number;
    }
  | { readonly kind: "answered"; readonly request: Request }
  /** The product has counted what waits, for a question that was asked at this place of the history. */
  | {
      readonly kind: "waiting_told";
      readonly askedAtPlace: number;
      readonly counts: readonly WaitingCount[];
    }
  /** What statistics say by a control process's index, of all calls at destinations. */
  | {
      readonly kind: "settled_told";
      readonly process: string;
      readonly waiting: number;
      readonly delivered: number;
    }
  /** Something happened to a process that may cost it what it has not committed. */
  | { readonly kind: "disturbed"; readonly process: string; readonly by: string }
  /** A group gives a member's partitions to others, as it has not heard of it for a session. */
  | { readonly kind: "missed"; readonly process: string }
);

/** What happened, in order. */
export class History {
  readonly happenings: Happening[] = [];

  add(happening: Happening): void {
    this.happenings.push(happening);
  }
}
