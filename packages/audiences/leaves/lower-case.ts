// Values in lower case. What is long is made so once for all conditions that ask for it: callers choose the texts (decision 114).
import { lowerCase } from "../definition/conditions.ts";

/** Shorter texts are made so as quickly as they are found. */
const LEAST_LONG = 128;
/** Of texts that are remembered, all together: more than a call and a profile have. */
const MAX_REMEMBERED_CHARACTERS = 262_144;

const texts = new Map<string, string>();
let characters = 0;
const lists = new WeakMap<readonly unknown[], readonly unknown[]>();

function textInLowerCase(text: string): string {
  if (text.length < LEAST_LONG) return lowerCase(text);
  const known = texts.get(text);
  if (known !== undefined) return known;
  if (characters + text.length > MAX_REMEMBERED_CHARACTERS) {
    texts.clear();
    characters = 0;
  }
  const lower = lowerCase(text);
  texts.set(text, lower);
  characters += text.length;
  return lower;
}

/** The text, or the texts of the list, in lower case; all else as it is. */
export function inLowerCase(value: unknown): unknown {
  if (typeof value === "string") return textInLowerCase(value);
  if (!Array.isArray(value)) return value;
  const known = lists.get(value);
  if (known !== undefined) return known;
  const lower = value.map((one: unknown) => (typeof one === "string" ? textInLowerCase(one) : one));
  lists.set(value, lower);
  return lower;
}
