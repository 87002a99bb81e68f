import type { Expiry, Flip, Outcome, ProfileEvent } from "#audiences";

/** Why a value has changed: by an event of its profile, the passing of time, a new, edited, resumed or deleted audience, or that nobody uses the id any more. */
export type ChangeCause = ProfileEvent["kind"] | "time" | "configuration" | "expiry";

/** What the expiry of a profile has come to. */
export type ExpiryStep = Exclude<Expiry, "kept" | "noted">;

/** What happens to profiles, for whoever counts it. */
export interface ProfileTelemetry {
  folded(kind: ProfileEvent["kind"], outcome: Outcome): void;
  timerFired(): void;
  /** So many values have changed; none mostly. They are found again after a crash. */
  changed(cause: ChangeCause, values: number): void;
  /** A profile is there that cannot be read: what comes for it becomes dead letters until it is deleted. Said once. */
  unreadable(error: Error): void;
  /** It is durable that the audiences and computed traits for which a profile is incomplete are others now; mostly they are the same. */
  incomplete(before: ReadonlySet<string>, now: ReadonlySet<string>): void;
  /** It is durable that so many profiles of anonymous ids that nobody uses any more were emptied or removed. */
  expired(expiry: ExpiryStep, profiles: number): void;
  /** Changed values were acknowledged as identify calls. */
  sent(flips: readonly Flip[], nowMs: number): void;
}
