import type { ProfileEventPassing, ProfileEventRecord } from "./records.generated.ts";

const NOBODY: ProfileEventPassing[] = [];
const NO_KEYS: string[] = [];

/** An event of this kind, with what else it says. Field by field, as each call becomes one: a spread takes several times as long. */
export function profileEvent(
  kind: string,
  {
    hops = 0,
    call = null,
    releaseTo = null,
    movedId = null,
    movedState = null,
    deletedAtMs = null,
    listId = null,
    isMember = null,
    listedAtMs = null,
    linkedAtMs = null,
    isSuppressed = null,
    suppressedIn = null,
    passedBy = NOBODY,
    endedAtMs = null,
    memberId = null,
    audienceKeys = NO_KEYS,
    toldAtMs = null,
  }: Partial<ProfileEventRecord>,
): ProfileEventRecord {
  return {
    kind,
    hops,
    call,
    releaseTo,
    movedId,
    movedState,
    deletedAtMs,
    listId,
    isMember,
    listedAtMs,
    linkedAtMs,
    isSuppressed,
    suppressedIn,
    passedBy,
    endedAtMs,
    memberId,
    audienceKeys,
    toldAtMs,
  };
}
