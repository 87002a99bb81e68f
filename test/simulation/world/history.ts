import type { RawRecord, TopicPartition } from "#kafka";
import type { Request } from "../endpoints/endpoints.ts";
import type { CallPlan, DestinationPlan } from "../plan/plan.ts";

/** A destination as the operator has written it; undefined: deleted. */
interface WrittenDestination {
  readonly id: string;
  readonly config: (DestinationPlan & { readonly enabled: boolean }) | undefined;
}

/** One thing that happened, as somebody outside of all processes saw it. */
export type Happening = { readonly atMs: number } & (
  | { readonly kind: "stored"; readonly call: CallPlan; readonly isRepeated: boolean }
  | { readonly kind: "configured"; readonly destination: WrittenDestination }
  /** Somebody who asked for a replay, or for its end, was told that it is so. */
  | { readonly kind: "replay_begun" | "replay_cancelled"; readonly replayId: string }
  | { readonly kind: "appended"; readonly record: RawRecord; readonly process: string }
  | {
      readonly kind: "committed";
      readonly groupId: string;
      readonly partition: TopicPartition;
      readonly offset: number;
      readonly process: string;
    }
  /** A broker has removed what was below the offset. */
  | { readonly kind: "removed"; readonly partition: TopicPartition; readonly below: number }
  | { readonly kind: "answered"; readonly request: Request }
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
