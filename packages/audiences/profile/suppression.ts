// Whose calls are of no account, and since where in the log: what is read again later is judged as it was when it came.
import { SPACE_SOURCE } from "#contract";
import type { ProfileSuppression } from "#topics";

/** Those that have ended matter only to a reading of the log; of more of them the oldest are forgotten. */
const MAX_ENDED = 10;

interface Suppressed {
  /** By source; newest last. */
  suppressions: readonly ProfileSuppression[];
}

const isOpen = ({ toOffset }: ProfileSuppression): boolean => toOffset === null;

/** Of the workspace, or of the source of audiences: then audiences say nothing of the user, whatever happens. */
export function isSilenced({ suppressions }: Readonly<Suppressed>): boolean {
  if (suppressions.length === 0) return false;
  return suppressions.some((one) => isOpen(one) && isForAudiences(one));
}

const isForAudiences = ({ sourceId }: ProfileSuppression): boolean =>
  sourceId === null || sourceId === SPACE_SOURCE;

/** Whether a call of the source counts now. */
export function isSuppressedIn({ suppressions }: Suppressed, sourceId: string): boolean {
  if (suppressions.length === 0) return false;
  return suppressions.some((one) => isOpen(one) && (isForAudiences(one) || one.sourceId === sourceId));
}

/** Whether a call of the source, at this offset of the log, was of no account when it came. */
export function wasSuppressedAt({ suppressions }: Suppressed, sourceId: string, offset: number): boolean {
  if (suppressions.length === 0) return false;
  return suppressions.some(
    (one) =>
      one.fromOffset <= offset &&
      (one.toOffset ?? Number.POSITIVE_INFINITY) > offset &&
      (isForAudiences(one) || one.sourceId === sourceId),
  );
}

/** Begins or ends one. False when that is so already, or was so when the record at this offset was read first. */
export function setSuppression(
  profile: Suppressed,
  { isSuppressed, sourceId }: { readonly sourceId: string | null; readonly isSuppressed: boolean },
  offset: number,
): boolean {
  const last = profile.suppressions.findLast((one) => one.sourceId === sourceId);
  if (last !== undefined && offset <= (last.toOffset ?? last.fromOffset)) return false;
  const isBegun = last !== undefined && isOpen(last);
  if (isBegun === isSuppressed) return false;
  const others = profile.suppressions.filter((one) => one !== last || !isBegun);
  const next: ProfileSuppression = isBegun
    ? { ...last, toOffset: offset }
    : { sourceId, fromOffset: offset, toOffset: null };
  const all = [...others, next];
  const tooMany = all.filter((one) => !isOpen(one)).slice(0, -MAX_ENDED);
  profile.suppressions = all.filter((one) => !tooMany.includes(one));
  return true;
}
