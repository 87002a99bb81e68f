// Which calls a profile has counted already (contract 1.8): the hashes of the newest 256. A copy that comes after more than 256 other calls of
// the profile counts again; a merge keeps the newest 128 of each at least. Two different calls have the same 48 bits once in 10^12 calls.
import type { CallIdentity } from "#contract";
import type { Profile } from "./profile.ts";

export const MAX_RECENT_CALLS = 256;
export const HASH_BYTES = 6;

const PRIME_A = 0x01000193;
const PRIME_B = 0x85ebca6b;

/** 48 bits of the call's identity: two multiplicative hashes over its UTF-16 units, 24 bits of each. */
function callHash({ sourceId, messageId, userId, anonymousId }: CallIdentity): number {
  const text = `${sourceId}\n${userId === null ? `a${anonymousId}` : `u${userId}`}\n${messageId}`;
  let a = 0x811c9dc5;
  let b = 0x9747b28c;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text.charCodeAt(place);
    a = Math.imul(a ^ unit, PRIME_A);
    b = Math.imul((b << 5) ^ (b >>> 2) ^ unit, PRIME_B);
  }
  a = Math.imul(a ^ (a >>> 15), PRIME_B);
  b = Math.imul(b ^ (b >>> 13), PRIME_A);
  return ((a ^ (a >>> 16)) & 0xffffff) * 0x1000000 + ((b ^ (b >>> 16)) & 0xffffff);
}

/** Those before them are in no record: one that was read again does not know them either. */
function isRecent({ recentCalls }: Profile, hash: number): boolean {
  return recentCalls.includes(hash, -MAX_RECENT_CALLS);
}

export function knowsCall(profile: Profile, call: CallIdentity): boolean {
  return isRecent(profile, callHash(call));
}

/** False when the profile has counted the call before; otherwise it is remembered. */
export function rememberCall(profile: Profile, call: CallIdentity): boolean {
  const hash = callHash(call);
  if (isRecent(profile, hash)) return false;
  const { recentCalls } = profile;
  recentCalls.push(hash);
  // Cut now and then, not at every call: shifting 256 entries costs more than the search.
  if (recentCalls.length >= 2 * MAX_RECENT_CALLS) profile.recentCalls = recentCalls.slice(-MAX_RECENT_CALLS);
  return true;
}

const NEWEST_OF_EACH = MAX_RECENT_CALLS / 2;

/** Of a merge. Which calls came first is not known: the newest of both stand last, behind the older ones of both. */
export function joinCalls(moved: readonly number[], own: readonly number[]): number[] {
  const older = [moved, own].flatMap((calls) => calls.slice(0, -NEWEST_OF_EACH));
  return [...older, ...moved.slice(-NEWEST_OF_EACH), ...own.slice(-NEWEST_OF_EACH)];
}

/** The newest 256, as they stand in a record. */
export function hashesToBytes(hashes: readonly number[]): Buffer {
  const first = Math.max(0, hashes.length - MAX_RECENT_CALLS);
  const bytes = Buffer.allocUnsafe((hashes.length - first) * HASH_BYTES);
  for (let place = first; place < hashes.length; place += 1)
    bytes.writeUIntLE(hashes[place] ?? 0, (place - first) * HASH_BYTES, HASH_BYTES);
  return bytes;
}

export function hashesFromBytes(bytes: Buffer): number[] {
  const hashes: number[] = [];
  for (let at = 0; at + HASH_BYTES <= bytes.length; at += HASH_BYTES)
    hashes.push(bytes.readUInt32LE(at) + bytes.readUInt16LE(at + 4) * 2 ** 32);
  return hashes;
}

/** The newest calls of many profiles, for a reading of the log. */
export class CallMemory {
  readonly #capacity: number;
  /** The newest ones, and those before them: one of the two is let go of as a whole. */
  #newest = new Set<number>();
  #before = new Set<number>();

  /** At least so many calls are remembered, at most twice as many. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** False when the call was remembered before. */
  remember(call: CallIdentity): boolean {
    return this.#add(callHash(call));
  }

  /** What a merged profile has counted. */
  rememberCallsOf({ recentCalls }: Pick<Profile, "recentCalls">): void {
    for (const hash of recentCalls) this.#add(hash);
  }

  #add(hash: number): boolean {
    if (this.#newest.has(hash) || this.#before.has(hash)) return false;
    if (this.#newest.size >= this.#capacity) {
      this.#before = this.#newest;
      this.#newest = new Set();
    }
    this.#newest.add(hash);
    return true;
  }
}
