// What goes with a change of an audience beside the membership itself (contract 8.7, 8.8).
import type { Flip, Profile } from "./profile.ts";

/** What an audience or list sends more than memberships. */
export interface Sends {
  /** Each change as a track call, too. */
  readonly hasTrackCalls: boolean;
  /** Names of traits. */
  readonly traits: readonly string[];
}

/** Of one audience. */
export const MAX_SENT_TRAITS = 10;
/** Of the JSON of a value: a longer one is left out. */
const MAX_SENT_TRAIT_LENGTH = 512;
/**
 * Of all that one profile has to send: with 64 KB of profile, and what one event more changes, it stays far below what a record may have (1 MB).
 * Beyond it traits are left out, and further events wait.
 */
const MAX_WAITING_BYTES = 262_144;
/** About, of a change or a move, beside its texts. */
const ENTRY_BYTES = 64;

/** JSON object of those that the profile has by now; empty when it has none. */
export function traitsAlong({ traits }: Pick<Profile, "traits">, names: readonly string[]): string {
  const found: [string, unknown][] = [];
  for (const name of names) {
    const value = traits.get(name)?.value ?? null;
    if (value !== null && JSON.stringify(value).length <= MAX_SENT_TRAIT_LENGTH) found.push([name, value]);
  }
  return found.length === 0 ? "" : JSON.stringify(Object.fromEntries(found));
}

/** Whether some of it has to be sent, or counted, before more is added. */
export function isMuchWaiting({
  moves,
  outbox,
  steps,
}: Pick<Profile, "moves" | "outbox" | "steps">): boolean {
  let bytes = (outbox.length + moves.length + steps.length) * ENTRY_BYTES;
  for (const { text, toAccount = "", traits } of outbox)
    bytes += Buffer.byteLength(text) + Buffer.byteLength(traits) + Buffer.byteLength(toAccount);
  return bytes > MAX_WAITING_BYTES;
}

type Along = Pick<Flip, "traits" | "isTracked">;

const NOTHING: Along = { traits: "", isTracked: false };

/** Of a change that comes about now. */
export function sentAlong(profile: Pick<Profile, "traits" | "outbox">, sends: Sends | undefined): Along {
  if (sends === undefined) return NOTHING;
  const traits = traitsAlong(profile, sends.traits);
  const waiting = profile.outbox.reduce((bytes, flip) => bytes + Buffer.byteLength(flip.traits), 0);
  const hasRoom = waiting + Buffer.byteLength(traits) <= MAX_WAITING_BYTES;
  return { traits: hasRoom ? traits : "", isTracked: sends.hasTrackCalls };
}
