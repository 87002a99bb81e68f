// Takes secrets out of texts that an endpoint has had a hand in, in whatever usual form it sent them back.
import { formsOf, SHORTEST_CHARACTERS } from "./forms.ts";
import { begunAtEnd, placesOf } from "./needle.ts";

/** Stands where a secret was. */
export const MASK = "********";

/**
 * Upper bound of the characters of all forms together: to make them takes 20 ms. A token of 4,096 characters has 100,000; servers take
 * some 10,000 characters of headers.
 */
const MAX_FORM_CHARACTERS = 2_000_000;
/** Upper bound of forms times characters of the text: 50 ms where the text nearly is every form everywhere. */
const MAX_SEARCHED_CHARACTERS = 8_000_000;

export interface Mask {
  /**
   * Replaces every secret by MASK, in capitals or not: plain, escaped for JSON or HTML, percent-encoded, in hex, and in base64 also as a
   * part of something longer. Where secrets and text are too large to be compared, MASK replaces the whole text.
   */
  (text: string): string;
  /**
   * The first `shownBytes` of a text whose end may be missing: masked, and without a possible beginning of a
   * secret at the end. A character that the limit cuts is left out. The text must have `bytesToMask` bytes,
   * or be whole.
   */
  beginning(bytes: Buffer, shownBytes: number): string;
  /** The memory it takes, about. */
  readonly bytes: number;
}

/** A form takes so many bytes beside its characters, and the mask itself a few such. */
const FORM_BYTES = 48;

export function createMask(secrets: readonly string[]): Mask {
  const forms = formsOfAll(secrets);
  const masked = (text: string): Masked | undefined => {
    const given = { text, folded: folded(text) };
    const searched = forms && searchedForms(forms, given.folded);
    return searched && { ...searched.reduce<Shown>(withoutForm, given), searched };
  };
  const mask = (text: string): string => masked(text)?.text ?? MASK;
  return Object.assign(mask, {
    bytes: (forms ?? []).reduce((sum, { length }) => sum + length + FORM_BYTES, 8 * FORM_BYTES),
    beginning(bytes: Buffer, shownBytes: number): string {
      const whole = masked(wholeCharacters(bytes));
      const shown = whole === undefined ? MASK : withoutBegun(whole);
      return wholeCharacters(Buffer.from(shown).subarray(0, shownBytes));
    },
  });
}

/** Longest first: one secret, or one form of it, may be a part of another. Undefined when they are too many. */
function formsOfAll(secrets: readonly string[]): readonly string[] | undefined {
  const forms: string[] = [];
  let characters = 0;
  for (const secret of new Set(secrets.filter(({ length }) => length >= SHORTEST_CHARACTERS))) {
    const own = [...new Set(formsOf(secret).map(folded))];
    characters += own.reduce((sum, { length }) => sum + length, 0);
    if (characters > MAX_FORM_CHARACTERS) return undefined;
    forms.push(...own);
  }
  return forms.sort((one, other) => other.length - one.length);
}

/** A text, and the same one in lower case: of the same length, as letters beyond ASCII stay. */
interface Shown {
  readonly text: string;
  readonly folded: string;
}

interface Masked extends Shown {
  /** The forms that were looked for. */
  readonly searched: readonly string[];
}

/** All forms, or where these are many those of which the text has the first characters. Undefined when these are too many as well. */
function searchedForms(forms: readonly string[], text: string): readonly string[] | undefined {
  const isTooMuch = ({ length }: readonly string[]): boolean =>
    length * text.length > MAX_SEARCHED_CHARACTERS;
  if (!isTooMuch(forms)) return forms;
  const beginnings = new Set<string>();
  for (let at = 0; at < text.length; at += 1) beginnings.add(text.slice(at, at + SHORTEST_CHARACTERS));
  const possible = forms.filter((form) => beginnings.has(form.slice(0, SHORTEST_CHARACTERS)));
  return isTooMuch(possible) ? undefined : possible;
}

/** Folds to lower case. The engine's own way is three times as quick for ASCII. */
function folded(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

function withoutForm(shown: Shown, form: string): Shown {
  const places = placesOf(form, shown.folded);
  if (places.length === 0) return shown;
  const ends = [0, ...places.map((at) => at + form.length)];
  const masked = (text: string): string =>
    ends.map((from, index) => text.slice(from, places[index])).join(MASK);
  return { text: masked(shown.text), folded: masked(shown.folded) };
}

function wholeCharacters(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/**
 * Leaves out the beginning of a secret at the text's end: the rest was cut, so nothing else recognises it.
 */
function withoutBegun({ text, folded: inLowerCase, searched }: Masked): string {
  const begun = searched.map((form) => begunAtEnd(form, inLowerCase, SHORTEST_CHARACTERS));
  const longest = begun.reduce((one, other) => Math.max(one, other), 0);
  return text.slice(0, text.length - longest);
}

/** A byte of a secret takes at most so many, as \u00ff or &#255;. */
const LONGEST_SPELLING_BYTES = 6;

/**
 * The bytes of a text that are needed, so that each secret which begins in the first `shownBytes` of it is
 * whole.
 */
export function bytesToMask(secrets: readonly string[], shownBytes: number): number {
  const longest = Math.max(0, ...secrets.map((secret) => Buffer.byteLength(secret)));
  return shownBytes + longest * LONGEST_SPELLING_BYTES;
}
