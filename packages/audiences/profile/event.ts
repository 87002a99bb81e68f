// What happens to a profile, and what may become of it.
import type { CallIdentity } from "#contract";
import type { ReadCall } from "../leaves/leaf.ts";
import type { Profile } from "./profile.ts";

export interface ProfileCall extends CallIdentity, ReadCall {
  readonly type: string;
  /** The event of a track, the name of a page or screen. */
  readonly name: string | null;
  readonly timestampMs: number;
  /** The account that it names, as far as calls are looked at for that. */
  readonly groupId?: string | null;
}

export interface MemberFact {
  readonly userId: string;
  /** Audiences and lists that the user is in, of those that accounts are told about. */
  readonly audienceKeys: readonly string[];
  /** Since when; of two the later one holds. */
  readonly atMs: number;
}

/** What can happen to a profile. */
export type ProfileEvent =
  | { readonly kind: "call"; readonly call: ProfileCall }
  /** Another profile is merged into this one. */
  | { readonly kind: "merge"; readonly moved: Profile }
  /** This profile is merged into another one. */
  | { readonly kind: "release"; readonly to: string; readonly linkedAtMs?: number }
  /** The user was deleted (contract 5.3). */
  | { readonly kind: "delete"; readonly atMs: number }
  /** An import has put the user on a list, or taken him off it (contract 8.6). */
  | {
      readonly kind: "list";
      readonly listId: string;
      readonly isMember: boolean;
      /** When the list was uploaded. */
      readonly atMs?: number;
    }
  /** An account learns in which audiences a user is whose calls name it (contract 8.10). */
  | ({ readonly kind: "member" } & MemberFact)
  /** The user is suppressed, or is not any more (contract 5.2). */
  | { readonly kind: "suppress"; readonly sourceId: string | null; readonly isSuppressed: boolean };

/** Why an event has changed nothing, or that it was applied. */
export type Outcome =
  | "applied"
  /** Its offset is in the state already: it was read again. */
  | "already_applied"
  /** The profile was merged into `redirectTo`, to which the event belongs now. */
  | "redirected"
  /** It came by a merge that a deletion has ended since: it belongs to the profile that has passed it on. */
  | "unlinked"
  /** The call, the uploaded list or the merge is older than the user's deletion. */
  | "deleted"
  /** The user is suppressed. */
  | "suppressed"
  | "frozen"
  /** A copy of a call that counts already (contract 1.8). */
  | "duplicate";

export interface Moment {
  readonly offset: number;
  /** The partition's watermark, Unix ms. */
  readonly nowMs: number;
  /** Of an event that a merged profile has passed on: when that was merged, Unix ms. */
  readonly passedByLinkMs?: number | undefined;
  /** Of an event that came back: the moment of the deletion that has ended the merge. */
  readonly endedAtMs?: number | undefined;
}
