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
  /** Events that belong to other profiles now. */
  readonly passedOn: OutgoingRecord[];
  /** Called once all of it is durable. */
  readonly whenDurable: (() => void)[];
}

export function emptyBatch(): Batch {
  return { taken: [], changed: new Map(), passedOn: [], whenDurable: [] };
}

export function isEmpty({ changed, taken, whenDurable }: Batch): boolean {
  return taken.length === 0 && changed.size === 0 && whenDurable.length === 0;
}

/** A profile as it is written, and what is to be sent of it once that is durable. */
export interface Snapshot {
  readonly profile: Profile;
  readonly entry: StoreEntry;
  readonly flips: readonly Flip[];
  /** The profile that is to be given the state, of one that was released and not given yet. */
  readonly releaseTo: string | undefined;
}

export function snapshotOf(profile: Profile, entryOf: (profile: Profile) => StoreEntry): Snapshot {
  profile.version += 1;
  const { judgedAtMs, outbox, redirectTo } = profile;
  const releaseTo = judgedAtMs > 0 ? redirectTo : undefined;
  return { profile, entry: entryOf(profile), flips: [...outbox], releaseTo };
}
