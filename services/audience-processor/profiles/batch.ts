// What is made durable together.
import type { Flip, Profile } from "#audiences";
import type { Claim, OutgoingRecord, Received, Settle } from "#kafka";
import type { StoreEntry } from "#state";
import type { Happening } from "./event.ts";

/** A record of profile-events under way. */
export interface Taken {
  readonly record: Received<Happening>;
  readonly settle: Settle;
  readonly claim: Claim;
}

export interface Batch {
  /** In the order of the log. */
  readonly taken: Taken[];
  /** Profiles that have changed. */
  readonly changed: Map<string, Profile>;
  /** How many of them were due. */
  due: number;
  /** Events that belong to other profiles now. */
  readonly passedOn: OutgoingRecord[];
  /** Called once all of it is durable. */
  readonly whenDurable: (() => void)[];
}

export function emptyBatch(): Batch {
  return { taken: [], changed: new Map(), due: 0, passedOn: [], whenDurable: [] };
}

export function isEmpty({ changed, taken, whenDurable }: Batch): boolean {
  return taken.length === 0 && changed.size === 0 && whenDurable.length === 0;
}

/** First offset of which nothing is known to be settled, once the batch is. */
export function settledTo({ taken }: Batch, before: number): number {
  return taken.reduce((last, { record }) => Math.max(last, record.offset + 1), before);
}

/** A profile as it is written, and what is to be sent of it once that is durable. */
export interface Snapshot {
  readonly profile: Profile;
  /** Which life of the profile it is: while it is written, the user may be deleted and come back. */
  readonly incarnation: number;
  readonly entry: StoreEntry;
  readonly flips: readonly Flip[];
  /** Whether a commit will say that the flips are sent; else the profile is written once more. */
  readonly isSentWithEvent: boolean;
  /** The profile that is to be given the state, of one that was released and not given yet. */
  readonly releaseTo: string | undefined;
}

export interface Term {
  /** No event from here on is settled: its batch, this one or a later one, is sent before. */
  readonly settledTo: number;
  /** No owner before has written a version as high as this one. */
  readonly leastVersion: number;
}

export function snapshotOf(
  profile: Profile,
  entryOf: (profile: Profile) => StoreEntry,
  { leastVersion, settledTo }: Term,
): Snapshot {
  const { appliedOffset, incarnation, judgedAtMs, outbox, redirectTo } = profile;
  profile.version = Math.max(profile.version + 1, leastVersion);
  const isSentWithEvent = outbox.length > 0 && redirectTo === undefined && appliedOffset >= settledTo;
  profile.outboxOffset = isSentWithEvent ? appliedOffset : undefined;
  const releaseTo = judgedAtMs > 0 ? redirectTo : undefined;
  const entry = entryOf(profile);
  return { profile, incarnation, entry, flips: [...outbox], isSentWithEvent, releaseTo };
}
