import { hash } from "node:crypto";
import { type CallIdentity, identityOf } from "#contract";

export const KEY_BYTES = 16;

/**
 * 16 bytes that stand for one call of one user, one byte in each character: strings are what a Map looks up
 * fastest. With 86 million ids in a window the chance that any two of them share their 128 bits is about 10^-23.
 */
export function callIdKey(call: CallIdentity): string {
  return keyOf(identityOf(call));
}

/**
 * The key as it was noted before the user was part of it (decision 8). Keys on disk in that form are looked
 * up by it until they leave the window.
 */
export function formerCallIdKey({ messageId, sourceId }: CallIdentity): string {
  return keyOf(`${sourceId}\0${messageId}`);
}

/** "binary" is Node's name for latin1 here. */
function keyOf(text: string): string {
  return hash("sha256", text, "binary").slice(0, KEY_BYTES);
}
