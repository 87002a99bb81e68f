// Takes secrets out of texts that an endpoint has had a hand in, in whatever usual form it sent them back.

/** Stands where a secret was. */
export const MASK = "********";

/** Shorter values occur in any text by chance. */
const SHORTEST_CHARACTERS = 4;

export interface Mask {
  /**
   * Replaces every secret by MASK, in capitals or not: plain, escaped for JSON or HTML, percent-encoded, in hex, and in base64 also as a
   * part of something longer.
   */
  (text: string): string;
  /**
   * The first `shownBytes` of a text of which the end may be missing: masked, and without what could begin a secret there. A character
   * that the limit cuts is left out. Of the text so many bytes are needed as `bytesToMask` says.
   */
  beginning(bytes: Buffer, shownBytes: number): string;
}

export function createMask(secrets: readonly string[]): Mask {
  const long = secrets.filter(({ length }) => length >= SHORTEST_CHARACTERS);
  const forms = new Set(long.flatMap(formsOf).map(folded));
  // Longest first: one secret, or one form of it, may be a part of another.
  const hidden = [...forms].sort((one, other) => other.length - one.length);
  const mask = (text: string): string =>
    hidden.reduce<Shown>(withoutForm, { text, folded: folded(text) }).text;
  return Object.assign(mask, {
    beginning(bytes: Buffer, shownBytes: number): string {
      const masked = mask(wholeCharacters(bytes));
      return wholeCharacters(Buffer.from(withoutBegun(masked, hidden)).subarray(0, shownBytes));
    },
  });
}

/** A text, and the same one in lower case: of the same length, as letters beyond ASCII stay. */
interface Shown {
  readonly text: string;
  readonly folded: string;
}

/** Of ASCII the engine's own is three times as quick. */
function folded(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function withoutForm(shown: Shown, form: string): Shown {
  let at = shown.folded.indexOf(form);
  if (at < 0) return shown;
  const kept: string[] = [];
  let from = 0;
  for (; at >= 0; at = shown.folded.indexOf(form, from)) {
    kept.push(shown.text.slice(from, at));
    from = at + form.length;
  }
  const text = [...kept, shown.text.slice(from)].join(MASK);
  return { text, folded: folded(text) };
}

function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** What the end of the text has cut is recognised as no secret any more. */
function withoutBegun(text: string, forms: readonly string[]): string {
  const inLowerCase = folded(text);
  const begun = Math.max(0, ...forms.map((form) => begunAtEnd(inLowerCase, form)));
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

/** A byte of a secret takes at most so many, as \u00ff or &#255;. */
const LONGEST_SPELLING_BYTES = 6;

/** How many bytes of a text are to be had, that each secret which begins in the first `shownBytes` of it is there as a whole. */
export function bytesToMask(secrets: readonly string[], shownBytes: number): number {
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));
  return shownBytes + longest * LONGEST_SPELLING_BYTES;
}

function formsOf(secret: string): string[] {
  const cases = [secret, secret.toLowerCase(), secret.toUpperCase()];
  const texts = [...jsonForms(secret), ...htmlForms(secret), ...percentForms(secret)];
  const forms = [...cases, ...texts, Buffer.from(secret).toString("hex"), ...base64Forms(secret)];
  return forms.filter(({ length }) => length >= SHORTEST_CHARACTERS);
}

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** What is escaped beside what must be: by Go and others for HTML, by PHP, by .NET; with and without letters beyond ASCII. */
const ESCAPED_IN_JSON = [
  /[\u007f-\uffff]/g,
  /[<>&]/g,
  /[<>&\u007f-\uffff]/g,
  /[<>&'\u007f-\uffff]/g,
  /[&'+<>`\u007f-\uffff]/g,
];

/** Slashes may be escaped or not, and quotes by a number. */
function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const forms = [json, ...ESCAPED_IN_JSON.map((letters) => json.replace(letters, escaped))];
  const quoted = forms.map((form) => form.replaceAll('\\"', "\\u0022"));
  const slashed = forms.map((form) => form.replaceAll("/", "\\/"));
  return [...forms, ...quoted, ...slashed, secret.replace(/./gs, escaped)];
}

const NAMES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};
const decimal = (letter: string): string => `&#${letter.charCodeAt(0)};`;
const hexadecimal = (letter: string): string => `&#x${letter.charCodeAt(0).toString(16)};`;
const named = (letter: string): string => NAMES[letter] ?? decimal(letter);

/** By names and by numbers; quotes, and what some escape beside them. */
function htmlForms(secret: string): string[] {
  const apostrophes = [named, decimal, hexadecimal, () => "&#039;"].map((apostrophe) =>
    secret.replace(/[&<>"']/g, (letter) => (letter === "'" ? apostrophe(letter) : named(letter))),
  );
  const numbers = [decimal, hexadecimal].flatMap((number) =>
    [/[&<>"']/g, /["'<>&=/`]/g, /./gs].map((letters) => secret.replace(letters, number)),
  );
  const markup = secret.replace(/[&<>]/g, named);
  const quotes = secret.replace(/[&<>"']/g, (letter) =>
    /["']/.test(letter) ? decimal(letter) : named(letter),
  );
  const slashes = secret.replace(/[&<>"'/=`]/g, (letter) =>
    /['/=`]/.test(letter) ? hexadecimal(letter) : named(letter),
  );
  return [...apostrophes, ...numbers, markup, quotes, slashes];
}

/** As parts of a URL and of a form are written. */
function percentForms(secret: string): string[] {
  const component = encodeURIComponent(secret.toWellFormed());
  const strict = component.replace(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return [component, strict, strict.replaceAll("%20", "+"), encodeURI(secret.toWellFormed())];
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
