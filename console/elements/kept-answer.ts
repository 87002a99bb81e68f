// What is kept of an endpoint's answer.

/** Bytes of a failure's body that an attempt keeps; a character that would reach beyond is left out whole. */
const KEPT_BYTES = 1_024;
const LONGEST_CHARACTER_BYTES = 4;

/** Whether the answer may have gone on where the kept body ends. */
export function mayGoOn(body: string): boolean {
  return new TextEncoder().encode(body).length > KEPT_BYTES - LONGEST_CHARACTER_BYTES;
}
