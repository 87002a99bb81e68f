// How a webhook's URL is shown where it only tells which webhook is meant (decision 26).
import { createHash } from "node:crypto";

/** For the API's description. */
export const SHOWN_URL =
  "Shortened, as its path may be a secret: the first 6 hex digits of the SHA-256 of the URL tell which one it is.";

/** What people name a path by; a token has digits, capitals, or is longer. */
const WORD = /^(?:[a-z][a-z_.-]{0,23}|v\d{1,3})$/;
/** Of SHA-256, in hex: enough to tell a destination's webhooks apart, too few to find a token by. */
const HASH_CHARACTERS = 6;

/**
 * `https://hooks.example.com/services/***#3f9a1c` for `https://hooks.example.com/services/T000/B000/XXXX`: the origin, the first
 * part of the path when it is a plain word, and the beginning of the whole URL's hash. A URL with nothing else is shown as it is.
 */
export function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return `***#${hashOf(url)}`;
  const { origin, pathname, search, hash } = parsed;
  const [first = "", ...rest] = pathname.split("/").slice(1);
  const isWord = WORD.test(first);
  const isWhole = (isWord || first === "") && rest.length === 0 && search === "" && hash === "";
  if (isWhole) return url;
  return `${origin}/${isWord ? `${first}/` : ""}***#${hashOf(url)}`;
}

function hashOf(url: string): string {
  return createHash("sha256").update(url).digest("hex").slice(0, HASH_CHARACTERS);
}
