// One stretch of the log, read again for leaves that were not there when it was folded.
import type { CallIdentity } from "#contract";
import type { EventLeaf } from "../definition/definition.ts";
import { eventTimeOf, foldPast, isPassedOver, type PastStates } from "./backfill.ts";
import type { LeafUse } from "./computation-set.ts";
import type { ProfileCall } from "./event.ts";
import { countsFromOf } from "./expiry.ts";
import { subjectOf } from "./identity.ts";
import type { Profile } from "./profile.ts";
import type { CallMemory } from "./recent-calls.ts";
import { counts } from "./seed.ts";
import { wasSuppressedAt } from "./suppression.ts";

/** What of a profile decides whether a call counts, as it is when the stretch first has a call of it. */
type Facts = Pick<
  Profile,
  "appliedOffset" | "deletedAtMs" | "incarnation" | "redirectTo" | "sizeBytes" | "suppressions"
> & {
  /** As `countsFromOf`. */
  readonly countsFrom: number;
  readonly backfilled: ReadonlyMap<string, number>;
};

export interface GatheringParts {
  /** Leaves that look back. */
  readonly uses: readonly LeafUse[];
  /** Outlives a stretch: a copy counts once also when its first is in the stretch before. */
  readonly calls: CallMemory;
  readonly nowMs: number;
  /** As that of `PastMoment`. */
  readonly judgedFromMs: number;
}

/** A call of the log with where it stands. */
export interface PastCall {
  readonly profileId: string;
  readonly offset: number;
  readonly call: ProfileCall;
  /** As that of `Moment`. */
  readonly passedByLinkMs?: number | undefined;
}

/** A merge of the log: what was merged into the profile, as at its release. */
export interface PastMerge {
  readonly profileId: string;
  readonly offset: number;
  readonly moved: Pick<Profile, "recentCalls">;
}

export interface Gathered {
  readonly states: PastStates;
  /** When the profile's user was deleted; one that was deleted since takes none of it. */
  readonly deletedAtMs: number | undefined;
  /** As `countsFromOf`; one that was forgotten since takes none of it either. */
  readonly countsFrom: number;
}

/** Undefined for a profile that is not there. */
type Load = (profileId: string) => Profile | undefined;

export class Gathering {
  readonly #parts: GatheringParts;
  readonly #uses = new Map<string, LeafUse[]>();
  readonly #facts = new Map<string, Facts | undefined>();
  /** By profile id. */
  readonly profiles = new Map<string, Gathered>();

  constructor(parts: GatheringParts) {
    this.#parts = parts;
    for (const use of parts.uses) {
      const name = `${use.plan.leaf.type} ${use.plan.leaf.name}`;
      this.#uses.set(name, [...(this.#uses.get(name) ?? []), use]);
    }
  }

  /** Whether it has asked for the profile before. */
  knows(profileId: string): boolean {
    return this.#facts.has(profileId);
  }

  /** Whether the call is of a name that a leaf asks for. */
  asksFor({ name, type }: Pick<ProfileCall, "name" | "type">): boolean {
    return name !== null && this.#uses.has(`${type} ${name}`);
  }

  /** Remembers a call that was counted in a stretch before, as `take` did: a copy does not count. */
  pass(past: PastCall, load: Load): void {
    const facts = this.#admit(past, load);
    if (facts !== undefined) this.#parts.calls.remember(identityIn(past, facts));
  }

  /**
   * Remembers the calls that the profile has by a merge: those were counted where they lie, in whatever partition. A copy that came later was
   * passed on, and stands behind the merge. After a deletion they are not known any more.
   */
  merged({ moved, offset, profileId }: PastMerge, load: Load): void {
    const facts = this.#factsOf(profileId, load);
    if (facts !== undefined && offset >= facts.incarnation && !isPassedOn(facts, offset))
      this.#parts.calls.rememberCallsOf(moved);
  }

  /** Counts the call as it would have been counted when it came. Calls come in the order of the log. */
  take(past: PastCall, load: Load): void {
    const facts = this.#admit(past, load);
    if (facts !== undefined && this.#parts.calls.remember(identityIn(past, facts))) this.#count(past, facts);
  }

  /**
   * The facts of its profile, if the call counts there. Of a merged profile the calls that came before its release are its own; those after
   * it were passed on, and stand in the log once more, as the surviving one's.
   */
  #admit({ call, offset, passedByLinkMs, profileId }: PastCall, load: Load): Facts | undefined {
    if (!this.asksFor(call)) return undefined;
    const facts = this.#factsOf(profileId, load);
    if (facts === undefined || offset < facts.countsFrom || isPassedOver(facts, call)) return undefined;
    if (passedByLinkMs !== undefined && passedByLinkMs <= (facts.deletedAtMs ?? -1)) return undefined;
    if (wasSuppressedAt(facts, call.sourceId, offset)) return undefined;
    return isPassedOn(facts, offset) ? undefined : facts;
  }

  #count({ call, offset, profileId }: PastCall, facts: Facts): void {
    const moment = { atMs: eventTimeOf(call, this.#parts.nowMs), nowMs: this.#parts.judgedFromMs };
    const states = this.profiles.get(profileId)?.states ?? new Map();
    for (const use of this.#uses.get(`${call.type} ${call.name}`) ?? [])
      if (isNew(use.plan.leaf, profileId, { facts, offset })) foldPast(states, call, use, moment);
    const { countsFrom, deletedAtMs } = facts;
    if (states.size > 0) this.profiles.set(profileId, { states, deletedAtMs, countsFrom });
  }

  #factsOf(id: string, load: Load): Facts | undefined {
    if (this.#facts.has(id)) return this.#facts.get(id);
    const profile = load(id);
    const facts = profile && factsOf(profile);
    this.#facts.set(id, facts);
    return facts;
  }
}

/**
 * Of a call that is an account's, too, both count: each is another one. What a merged profile has counted itself its survivor learns by the
 * merge, and forgets with a deletion.
 */
function identityIn({ call, profileId }: PastCall, { redirectTo }: Facts): CallIdentity {
  if (subjectOf(profileId) === "users" && redirectTo === undefined) return call;
  const { anonymousId, messageId, sourceId, userId } = call;
  return { sourceId: `${profileId} ${sourceId}`, messageId, userId, anonymousId };
}

/** Whether the leaf counts the call, and has not yet. */
function isNew(
  leaf: EventLeaf,
  profileId: string,
  { facts, offset }: { readonly facts: Facts; readonly offset: number },
): boolean {
  return counts(leaf, profileId) && offset >= (facts.backfilled.get(leaf.key) ?? 0);
}

const isPassedOn = ({ appliedOffset, redirectTo }: Facts, offset: number): boolean =>
  redirectTo !== undefined && offset > appliedOffset;

function factsOf(profile: Profile): Facts {
  const { appliedOffset, deletedAtMs, incarnation, redirectTo, sizeBytes, suppressions } = profile;
  const countsFrom = countsFromOf(profile);
  const backfilled = new Map(profile.backfilled);
  return {
    appliedOffset,
    deletedAtMs,
    incarnation,
    redirectTo,
    sizeBytes,
    suppressions,
    countsFrom,
    backfilled,
  };
}
