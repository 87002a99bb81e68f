// What is kept of one profile (decision 45). A profile is changed in place: whoever passes it to a
// function of this package passes it on, and reads it again from its store when the result was not made durable.
import type { ProfileAccount, ProfileMove, ProfileSuppression } from "#topics";
import type { LeafState } from "../leaves/state.ts";

export interface ProfileTrait {
  /** null when the newest write has removed it. */
  readonly value: unknown;
  readonly atMs: number;
  readonly receivedAtMs: number;
}

/** All calls of one name. */
export interface EventSummary {
  readonly type: string;
  readonly name: string;
  count: number;
  firstMs: number;
  lastMs: number;
}

/** What an audience or computed trait came to for the profile, as it was last sent. */
export interface Result {
  /** JSON text of the value that was sent; empty when none was. Of an audience `true` or `false`. */
  text: string;
  /** How many were sent in this incarnation. */
  seq: number;
  /** When the value was sent, Unix ms. */
  sinceMs: number;
  /** By which the value was sent; an edit that leaves it as it is sends nothing. */
  generation: number;
  /** When passing time may change the value; Infinity: never. */
  deadlineMs: number;
}

/** A value that has changed and is to be sent as an identify (contract 8.1 to 8.3). */
export interface Flip {
  readonly computationId: string;
  readonly generation: number;
  readonly seq: number;
  /** JSON text. */
  readonly text: string;
  readonly atMs: number;
  /** JSON object of the traits that are sent along, as they were when it came about; empty when there are none. */
  readonly traits: string;
  /** It is sent as a track call, too. */
  readonly isTracked: boolean;
  /** GroupId of an account that is told it, and nobody else: then `text` is a JSON list of ids. Otherwise it is sent. */
  readonly toAccount?: string;
}

/** What an account has learned about the user last. */
export type ToldAccount = Readonly<Omit<ProfileAccount, "groupId">>;

export interface Profile {
  readonly id: string;
  /** The offset at which the record began: a user who comes back after a deletion does not repeat message ids. */
  incarnation: number;
  /** The last record of profile-events that is in the state; what comes at or before it again is skipped. */
  appliedOffset: number;
  /** Counted up by who writes the record: of two with the same applied offset the higher one is the newer. */
  version: number;
  /** The latest moment at which the profile was judged: for a profile time never goes back. 0: never. */
  judgedAtMs: number;
  readonly traits: Map<string, ProfileTrait>;
  readonly events: Map<string, EventSummary>;
  /** By leaf key. */
  readonly leaves: Map<string, LeafState>;
  /** Ids of the imported lists that name the user. */
  readonly lists: Set<string>;
  /** Of a user, by groupId: accounts that calls have named. */
  readonly accounts: Map<string, ToldAccount>;
  /** By computation id. */
  readonly results: Map<string, Result>;
  /** Hashes of the newest calls, newest last: a call that comes again counts once. */
  recentCalls: number[];
  /** By leaf key: a backfill under way has counted events below this offset. */
  readonly backfilled: Map<string, number>;
  /** Flips that are not known to be sent. */
  outbox: Flip[];
  /** Of the record: its outbox is sent once the group has committed beyond this offset. undefined: no commit says so. */
  outboxOffset: number | undefined;
  /** About the bytes of the encoded record, without outbox and recent calls. */
  sizeBytes: number;
  /** Ids of audiences and computed traits that ask for something that was left out. Never changed in place: another set says that it has changed. */
  incompleteFor: ReadonlySet<string>;
  /** The same as it was written last. */
  incompleteBefore: ReadonlySet<string>;
  /** What its counts by name lack, for whoever asks later. */
  uncounted: Uncounted;
  /** The earliest deadline of all results. */
  nextDeadlineMs: number;
  /** The profile that this one was merged into. */
  redirectTo: string | undefined;
  /** When the call was made that merged it, Unix ms; undefined: not known, a version before has merged it. */
  linkedAtMs: number | undefined;
  /** By source; newest last. Never changed in place. */
  suppressions: readonly ProfileSuppression[];
  /** Calls up to this event time belong to a deleted user. */
  deletedAtMs: number | undefined;
  /** The latest change of results that are not kept any more: what is sent from now on is later. Unix ms. */
  changedUntilMs: number;
  /** Of an anonymous profile: when its last call was judged, Unix ms; 0: not known. Of a merged one some time less (expiry.ts). */
  seenAtMs: number;
  /** Calls of the log below this offset were forgotten with the profile. */
  forgottenTo: number;
  /** Entered and left since it was written last. */
  steps: Step[];
  /** Of earlier writes, where it may not be in the counts of its partition yet. Never changed in place. */
  moves: readonly ProfileMove[];
}

/** A value has become true, or is true no more. */
export interface Step {
  readonly computationId: string;
  readonly by: 1 | -1;
}

/** Names of which a profile keeps the count; calls of further names are folded, but not counted by name. */
export const MAX_EVENT_NAMES = 200;

/** As it stands in the record; a higher one says more. */
export const UNCOUNTED = { nothing: 0, names: 1, calls: 2 } as const;
export type Uncounted = (typeof UNCOUNTED)[keyof typeof UNCOUNTED];

export function moreUncounted(one: number, other: number): Uncounted {
  const most = Math.max(one, other);
  if (most >= UNCOUNTED.calls) return UNCOUNTED.calls;
  return most >= UNCOUNTED.names ? UNCOUNTED.names : UNCOUNTED.nothing;
}

export const MAX_PROFILE_BYTES = 65_536;
export const MAX_TRAITS = 300;

/** Too large: calls do not change it until there is room again. */
export function isFull({ sizeBytes }: Pick<Profile, "sizeBytes">): boolean {
  return sizeBytes > MAX_PROFILE_BYTES;
}

/** Nearly every profile has none: they share it. */
export const NOTHING_LEFT_OUT: ReadonlySet<string> = new Set();
const NONE: readonly ProfileSuppression[] = [];
/** Shared as well; `noteStep` gives a profile its own. */
export const NO_STEPS: Step[] = [];
export const NO_MOVES: readonly ProfileMove[] = [];

/** A profile of which nothing is known; `offset` is that of the record that it begins with. */
export function createProfile(id: string, offset: number): Profile {
  return {
    id,
    incarnation: offset,
    appliedOffset: -1,
    version: 0,
    judgedAtMs: 0,
    traits: new Map(),
    events: new Map(),
    leaves: new Map(),
    lists: new Set(),
    accounts: new Map(),
    results: new Map(),
    recentCalls: [],
    backfilled: new Map(),
    outbox: [],
    outboxOffset: undefined,
    sizeBytes: 0,
    incompleteFor: NOTHING_LEFT_OUT,
    incompleteBefore: NOTHING_LEFT_OUT,
    uncounted: UNCOUNTED.nothing,
    nextDeadlineMs: Number.POSITIVE_INFINITY,
    redirectTo: undefined,
    linkedAtMs: undefined,
    suppressions: NONE,
    deletedAtMs: undefined,
    changedUntilMs: 0,
    seenAtMs: 0,
    forgottenTo: 0,
    steps: NO_STEPS,
    moves: NO_MOVES,
  };
}

export function noteStep(profile: Pick<Profile, "steps">, computationId: string, by: Step["by"]): void {
  if (profile.steps === NO_STEPS) profile.steps = [];
  profile.steps.push({ computationId, by });
}

/** Forgets results, not their times: a user who comes back is not sent a change with the time of an earlier one. */
export function forgetResults(profile: Profile, isForgotten: (id: string) => boolean = () => true): void {
  for (const [id, { sinceMs, text }] of profile.results) {
    if (!isForgotten(id)) continue;
    if (text === "true") noteStep(profile, id, -1);
    profile.changedUntilMs = Math.max(profile.changedUntilMs, sinceMs);
    profile.results.delete(id);
  }
}

/** Forgets all that is known; what is left is where the profile came from, how far it has read, and that it is suppressed. */
export function emptyProfile(profile: Profile): void {
  for (const part of [profile.traits, profile.events, profile.leaves, profile.lists, profile.accounts])
    part.clear();
  forgetResults(profile);
  profile.recentCalls = [];
  // What accounts wait to be told names the user alone, and is followed by what ends it.
  profile.outbox = profile.outbox.filter(({ toAccount }) => toAccount !== undefined);
  profile.judgedAtMs = 0;
  profile.sizeBytes = 0;
  profile.incompleteFor = NOTHING_LEFT_OUT;
  profile.uncounted = UNCOUNTED.nothing;
  profile.nextDeadlineMs = Number.POSITIVE_INFINITY;
}
