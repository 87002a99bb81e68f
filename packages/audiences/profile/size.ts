// About how many bytes a part of a profile takes in its record. Counted as it changes, so that a call never has to measure a whole profile.
import type { LeafState, Tally } from "../leaves/state.ts";
import type { Profile, ProfileTrait, Result, ToldAccount } from "./profile.ts";

const LEAF_BYTES = 24;
const TIME_BYTES = 6;
const TALLY_BYTES = 14;
const NUMBERS_BYTES = 26;

function pickBytes({ pick }: Tally): number {
  return pick === undefined ? 0 : 16 + Buffer.byteLength(JSON.stringify(pick.value));
}

/** Bytes of one leaf's state. */
export function leafBytes(state: LeafState): number {
  switch (state.kind) {
    case "times":
      return LEAF_BYTES + state.times.length * TIME_BYTES;
    case "runs":
      return LEAF_BYTES + state.runs.length * 2 * TIME_BYTES;
    case "counts":
      return LEAF_BYTES + state.tallies.length * TALLY_BYTES;
    case "numbers":
      return LEAF_BYTES + state.tallies.length * (TALLY_BYTES + NUMBERS_BYTES);
    case "picks":
      return state.tallies.reduce((sum, tally) => sum + TALLY_BYTES + pickBytes(tally), LEAF_BYTES);
    case "values":
      return LEAF_BYTES + state.textBytes + state.values.size * 2 + state.tallyCount * TALLY_BYTES;
    default:
      return state.occurrences.reduce(
        (sum, { value }) => sum + 28 + JSON.stringify(value).length,
        LEAF_BYTES,
      );
  }
}

export function traitBytes(key: string, { value }: ProfileTrait): number {
  return 16 + Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(value));
}

export function eventBytes(name: string): number {
  return 24 + Buffer.byteLength(name);
}

export function resultBytes({ text }: Result): number {
  return 48 + Buffer.byteLength(text);
}

/** Of an account that the user's calls have named. What it will be told has its room from the beginning. */
export function accountBytes(groupId: string, { told }: ToldAccount): number {
  return 16 + Buffer.byteLength(groupId) + Math.max(1, told.length) * 32;
}

/** All of it at once: when a profile has been read, and after a merge. */
export function profileBytes(profile: Profile): number {
  let bytes = 0;
  for (const [key, trait] of profile.traits) bytes += traitBytes(key, trait);
  for (const { name } of profile.events.values()) bytes += eventBytes(name);
  for (const state of profile.leaves.values()) bytes += leafBytes(state);
  for (const [groupId, account] of profile.accounts) bytes += accountBytes(groupId, account);
  for (const result of profile.results.values()) bytes += resultBytes(result);
  return bytes;
}
