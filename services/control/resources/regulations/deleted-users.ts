// Which calls are of users that were deleted since: nothing sends them again.
import { hasPreviousId, isDeletion } from "#contract";
import { type DeadLetter, type Regulation, USER_HASH_BYTES, userHash } from "#topics";

export interface DeletedUsers {
  /** Resolves when what other processes wrote before the call is known; waits while Kafka is away. */
  refresh(): Promise<void>;
  /** Whether the call was accepted before its user was deleted. Of a deletion's own notification it is false. */
  isOfDeleted(letter: DeadCall): boolean;
  /** The same where the body is not at hand. True as well for an alias, which may name a second user. */
  mayBeOfDeleted(letter: ListedCall): boolean;
  /** The same of what was refused. True as well where nobody can tell whom it names. */
  mayNameDeleted(refused: RefusedCall): boolean;
}

type CallTime = Pick<DeadLetter, "sourceId" | "type" | "receivedAtMs">;
type DeadCall = CallTime & Pick<DeadLetter, "body">;
type ListedCall = CallTime & Pick<DeadLetter, "userId">;
type RefusedCall = Pick<CallTime, "sourceId" | "receivedAtMs"> & {
  readonly userIds: readonly string[] | null;
};

interface Regulations {
  refresh(): Promise<void>;
  list(): readonly Regulation[];
}

/** As the regulations say that are still kept: as long as dead letters of calls that were accepted before them. */
export function createDeletedUsers(regulations: Regulations): DeletedUsers {
  const laterThan = ({ sourceId, type, receivedAtMs }: CallTime): Regulation[] => {
    if (type === "delete") return [];
    return regulations
      .list()
      .filter((regulation) => isDeletion(regulation.regulationType))
      .filter((regulation) => regulation.sourceId === null || regulation.sourceId === sourceId)
      .filter(({ createdAtMs, deletedAtMs }) => (deletedAtMs ?? createdAtMs) >= (receivedAtMs ?? 0));
  };
  return {
    refresh: () => regulations.refresh(),
    isOfDeleted(letter) {
      const later = laterThan(letter);
      if (later.length === 0) return false;
      const userIds = usersOf(letter.body);
      return later.some((regulation) => userIds.some((userId) => names(regulation, userId)));
    },
    mayBeOfDeleted(letter) {
      const { type, userId } = letter;
      const mayName = (regulation: Regulation): boolean => userId !== null && names(regulation, userId);
      return laterThan(letter).some((regulation) => hasPreviousId(type) || mayName(regulation));
    },
    mayNameDeleted({ receivedAtMs, sourceId, userIds }) {
      const later = laterThan({ sourceId, type: null, receivedAtMs });
      return later.some((regulation) => userIds?.some((userId) => names(regulation, userId)) ?? true);
    },
  };
}

/** The users that a delivered body names: an alias has two of them. */
function usersOf(body: Buffer): string[] {
  const { userId, previousId } = JSON.parse(body.toString()) as Record<string, unknown>;
  return [userId, previousId].filter((id): id is string => typeof id === "string");
}

function names({ subjectIds, subjectHashes }: Regulation, userId: string): boolean {
  return subjectIds.includes(userId) || hasHash(subjectHashes, Buffer.from(userHash(userId), "base64url"));
}

/** Of sorted hashes, by halves. */
function hasHash(hashes: Buffer, wanted: Buffer): boolean {
  let [low, high] = [0, hashes.length / USER_HASH_BYTES];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const at = middle * USER_HASH_BYTES;
    const order = hashes.compare(wanted, 0, USER_HASH_BYTES, at, at + USER_HASH_BYTES);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}
