import { MAX_MESSAGE_BYTES } from "./limits.ts";

const encoder = new TextEncoder();
// Shared by all messages: it is read before the next one is written.
const scratch = new Uint8Array(MAX_MESSAGE_BYTES);

export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/**
 * A message's bytes, to be copied before the next call; undefined when it has more than 32 KB. Nothing beyond the limit is encoded,
 * however long the text is.
 */
export function encodeMessage(json: string): Uint8Array | undefined {
  const { read, written } = encoder.encodeInto(json, scratch);
  return read < json.length ? undefined : scratch.subarray(0, written);
}

/** Where a string ends whose first quote is at `start`: the index of its last quote. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  for (;;) {
    let escapes = 0;
    while (json[end - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
}

/**
 * Whether JSON nests deeper than so many levels, its outermost object being level 1. Looks at the text, as a value may be
 * written as another one (toJSON).
 */
export function nestsDeeperThan(json: string, levels: number): boolean {
  if (json.length <= 2 * levels) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at);
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
    if (depth > levels) return true;
  }
  return false;
}
