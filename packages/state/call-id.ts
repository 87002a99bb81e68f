import { hash } from "node:crypto";

export const KEY_BYTES = 16;

/**
 * 16 bytes that stand for one messageId of one source, one byte in each character: strings are what a Map looks up
 * fastest. With 86 million ids in a window the chance that any two of them share their 128 bits is about 10^-23.
 */
export function callIdKey(sourceId: string, messageId: string): string {
  // A source id never holds a NUL, so no other pair gives the same text. "binary" is Node's name for latin1 here.
  return hash("sha256", `${sourceId}\0${messageId}`, "binary").slice(0, KEY_BYTES);
}
