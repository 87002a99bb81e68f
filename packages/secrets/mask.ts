// Takes secrets out of texts that an endpoint has had a hand in, in whatever usual form it sent them back.

/** Stands where a secret was. */
export const MASK = "********";

/** Shorter values occur in any text by chance. */
const SHORTEST_CHARACTERS = 4;

export interface Mask {
  /** Replaces every secret by MASK, plain, JSON-escaped, percent-encoded, and in base64 also as a part of something longer. */
  (text: string): string;
  /**
   * The first `shownBytes` of a text of which the end may be missing: masked, and without what could begin a secret there. A character
   * that the limit cuts is left out. Of the text so many bytes are needed as `bytesToMask` says.
   */
  beginning(bytes: Buffer, shownBytes: number): string;
}

export function createMask(secrets: readonly string[]): Mask {
  const forms = new Set(secrets.filter(({ length }) => length >= SHORTEST_CHARACTERS).flatMap(formsOf));
  // Longest first: one secret, or one form of it, may be a part of another.
  const hidden = [...forms].sort((one, other) => other.length - one.length);
  // Most texts hold none: to look for a form costs a third of replacing it.
  const mask = (text: string): string =>
    hidden.reduce((shown, form) => (shown.includes(form) ? shown.replaceAll(form, MASK) : shown), text);
  return Object.assign(mask, {
    beginning(bytes: Buffer, shownBytes: number): string {
      const masked = mask(wholeCharacters(bytes));
      return wholeCharacters(Buffer.from(withoutBegun(masked, hidden)).subarray(0, shownBytes));
    },
  });
}

function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** What the end of the text has cut is recognised as no secret any more. */
function withoutBegun(text: string, forms: readonly string[]): string {
  const begun = Math.max(0, ...forms.map((form) => begunAtEnd(text, form)));
  return begun === 0 ? text : text.slice(0, -begun);
}

/** How many characters at the end of the text begin the form; fewer than a secret has occur by chance. */
function begunAtEnd(text: string, form: string): number {
  const first = form.charCodeAt(0);
  const longest = Math.min(form.length - 1, text.length);
  for (let length = longest; length >= SHORTEST_CHARACTERS; length -= 1) {
    const start = text.length - length;
    if (text.charCodeAt(start) === first && form.startsWith(text.slice(start))) return length;
  }
  return 0;
}

/** A byte of a secret takes at most so many, as \u00ff. */
const LONGEST_SPELLING_BYTES = 6;

/** How many bytes of a text are to be had, that each secret which begins in the first `shownBytes` of it is there as a whole. */
export function bytesToMask(secrets: readonly string[], shownBytes: number): number {
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));
  return shownBytes + longest * LONGEST_SPELLING_BYTES;
}

function formsOf(secret: string): string[] {
  return [secret, ...jsonForms(secret), ...percentForms(secret), ...base64Forms(secret)].filter(
    ({ length }) => length >= SHORTEST_CHARACTERS,
  );
}

/** Slashes and letters beyond ASCII may be escaped or not. */
function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const forms = [json, ascii];
  return [...forms, ...forms.map((form) => form.replaceAll("/", "\\/"))];
}

/** As parts of a URL and of a form are written; the digits of %2F in either case. */
function percentForms(secret: string): string[] {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const upper = [component, strict, strict.replaceAll("%20", "+"), encodeURI(secret.toWellFormed())];
  return [...upper, ...upper.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
}

/**
 * In base64 three bytes make four letters, so what a secret looks like depends on where it begins within three bytes. Of its first
 * and last letters those are left out that its neighbours have a part in.
 */
function base64Forms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const whole = bytes.toString("base64");
  const parts = [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return letters.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  const standard = [whole, whole.replace(/={1,2}$/, ""), ...parts];
  return [...standard, ...standard.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
