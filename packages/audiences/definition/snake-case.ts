// How an audience's key is made of its name (contract 8.4).
import { MAX_KEY_CHARACTERS } from "./limits.ts";

/** Letters of Latin scripts that are no base letter with a mark, so that NFD leaves them as they are. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  ẞ: "SS",
  æ: "ae",
  Æ: "AE",
  œ: "oe",
  Œ: "OE",
  ø: "o",
  Ø: "O",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "TH",
  ħ: "h",
  Ħ: "H",
  ı: "i",
  ŧ: "t",
  Ŧ: "T",
  ĸ: "k",
  ŋ: "n",
  Ŋ: "N",
};

const MARKS = /\p{M}/gu;
/** Capitals and digits, then small letters and digits. The first alternative takes what begins with a capital. */
const WORD = /[A-Z0-9]+[a-z0-9]*|[a-z][a-z0-9]*/g;
const KEY = /^[a-z0-9][a-z0-9_]*$/;

/** `Order Completed Last 30days` → `order_completed_last_30days`; empty when the name has no Latin letter and no digit (contract 8.4). */
export function snakeCase(name: string): string {
  const folded = [...name.normalize("NFD").replace(MARKS, "")]
    .map((letter) => FOLDED[letter] ?? letter)
    .join("");
  return (folded.match(WORD) ?? []).join("_").toLowerCase();
}

/** What is wrong with a key that a caller has chosen, or undefined (contract 8.4). */
export function keyProblem(key: unknown): string | undefined {
  if (typeof key === "string" && key.length <= MAX_KEY_CHARACTERS && KEY.test(key)) return undefined;
  return `must have 1 to ${MAX_KEY_CHARACTERS} characters: small letters, digits and _, the first one no _`;
}
