// What is made durable together.
import type { Flip, Profile } from "#audiences";
import type { Claim, OutgoingRecord, Received, Settle } from "#kafka";
import type { StoreChange, StoreEntry } from "#state";
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
  /** Ids of those that are to be removed instead; no event has come for them since. */
  readonly removed: Set<string>;
  /** How many of them were due. */
  due: number;
  /** Events that belong to other profiles now. */
  readonly passedOn: OutgoingRecord[];
  /** Called once all of it is durable. */
  readonly whenDurable: (() => void)[];
}

export function emptyBatch(): Batch {
  return { taken: [], changed: new Map(), removed: new Set(), due: 0, passedOn: [], whenDurable: [] };
}

export function isEmpty({ changed, taken, whenDurable }: Batch): boolean {
  return taken.length === 0 && changed.size === 0 && whenDurable.length === 0;
}

/**
 * Takes the events of a profile out of the batch, with all that has changed of it; none where nothing of it is to be written. Who waits until the batch is
 * durable is not called: some of what was waited for is not in it.
 */
export function takeOut({ changed, taken, whenDurable }: Batch, id: string): Taken[] {
  if (!changed.delete(id)) return [];
  whenDurable.length = 0;
  const own = taken.filter(({ record }) => record.key === id);
  taken.splice(0, taken.length, ...taken.filter((one) => !own.includes(one)));
  return own;
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
  readonly entry: StoreChange;
  readonly flips: readonly Flip[];
  /** Whether a commit will say that the flips are sent; else the profile is written once more. */
  readonly isSentWithEvent: boolean;
  /** The profile that is to be given the state, of one that was released and not given yet. */
  readonly releaseTo: string | undefined;
  /** For what the profile is incomplete, and was when it was written before. */
  readonly incompleteFor: ReadonlySet<string>;
  readonly incompleteBefore: ReadonlySet<string>;
}

export interface Term {
  /** No event from here on is settled: its batch, this one or a later one, is sent before. */
  readonly settledTo: number;
  /** No owner before has written a version as high as this one, nor has this one with a removal. */
  readonly leastVersion: number;
  /** Called with each profile before it is written. */
  take(profile: Profile): void;
}

/** An owner writes far fewer versions of one profile than this for each record of the changelog that came since an earlier owner began. */
const VERSIONS_A_RECORD = 16;

/**
 * `reached` is where the changelog ended when the owner began. It may have ended there for the owner before, too, of whom nothing has come
 * yet: the group's `generation` is another one.
 */
export function leastVersionOf({ generation, reached }: { generation: number; reached: number }): number {
  return VERSIONS_A_RECORD * reached + generation;
}

/** Who comes back after the removal of the profile begins with no version, and is newer than the removal. */
export function leastVersionAfter(snapshots: readonly Snapshot[], before: number): number {
  return snapshots.reduce(
    (least, { entry }) => (entry.value === null ? Math.max(least, entry.version + 1) : least),
    before,
  );
}

export function snapshotsOf(
  { changed, removed }: Batch,
  entryOf: (profile: Profile) => StoreEntry,
  term: Term,
): Snapshot[] {
  return Array.from(changed.values(), (profile) => {
    const snapshot = snapshotOf(profile, entryOf, term);
    return removed.has(profile.id) && isStillEmpty(profile) ? withoutRecord(snapshot) : snapshot;
  });
}

/** What has changed it since it was to be removed counts. */
function isStillEmpty({ judgedAtMs, moves, outbox }: Profile): boolean {
  return judgedAtMs === 0 && outbox.length === 0 && moves.length === 0;
}

function withoutRecord({ entry, ...snapshot }: Snapshot): Snapshot {
  return { ...snapshot, entry: { ...entry, value: null, dueMs: Number.POSITIVE_INFINITY } };
}

function snapshotOf(
  profile: Profile,
  entryOf: (profile: Profile) => StoreEntry,
  { leastVersion, settledTo, take }: Term,
): Snapshot {
  take(profile);
  const { appliedOffset, incarnation, incompleteBefore, incompleteFor, judgedAtMs, outbox, redirectTo } =
    profile;
  profile.incompleteBefore = incompleteFor;
  profile.version = Math.max(profile.version + 1, leastVersion);
  const isSentWithEvent = outbox.length > 0 && redirectTo === undefined && appliedOffset >= settledTo;
  profile.outboxOffset = isSentWithEvent ? appliedOffset : undefined;
  const releaseTo = judgedAtMs > 0 ? redirectTo : undefined;
  const entry = entryOf(profile);
  const incomplete = { incompleteFor, incompleteBefore };
  return { profile, incarnation, entry, flips: [...outbox], isSentWithEvent, releaseTo, ...incomplete };
}
