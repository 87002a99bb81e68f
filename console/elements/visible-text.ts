// Text of strangers as it is shown: what cannot be seen, or would turn the line around, is written out as \u{…}.

/** Controls but tab and line feed, marks of direction, zero widths, and half of a surrogate pair. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/** More would stop the page; what is left out is said. */
export const MOST_SHOWN = 20_000;

export function visibleText(text: string): string {
  const shown = text.length > MOST_SHOWN ? text.slice(0, MOST_SHOWN) : text;
  const written = shown.replace(UNSEEN, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
  const left = text.length - shown.length;
  return left === 0 ? written : `${written} … and ${left} more characters`;
}

/** On one line, as a cell of a table has it. */
export function visibleLine(text: string, most = 200): string {
  const line = visibleText(text.slice(0, most)).replace(/[\n\t]+/g, " ");
  return text.length > most ? `${line}…` : line;
}

const SEEN_CHARACTERS = 4;

/** As control masks a write key for a token that may not write. */
export function masked(text: string): string {
  return `${text.slice(0, SEEN_CHARACTERS)}********`;
}
