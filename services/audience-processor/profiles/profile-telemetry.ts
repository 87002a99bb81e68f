import type { Flip, Outcome, ProfileEvent } from "#audiences";

/** What happens to profiles, for whoever counts it. */
export interface ProfileTelemetry {
  folded(kind: ProfileEvent["kind"], outcome: Outcome): void;
  timerFired(): void;
  /** The profile was deleted or merged, and was a member of these until then. */
  membersLeft(computationIds: readonly string[]): void;
  /** Changed values were acknowledged as identify calls. */
  sent(flips: readonly Flip[], nowMs: number): void;
}
