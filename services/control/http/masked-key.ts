import { MASK } from "#secrets";

/** Enough to tell a write key from others. */
const SHOWN_CHARACTERS = 4;

/** For whoever may not send as the source. */
export function maskedKey(writeKey: string): string {
  return `${writeKey.slice(0, SHOWN_CHARACTERS)}${MASK}`;
}
