// Search of a needle in a text, in time linear in both for all inputs: endpoints choose the texts, holders of
// tokens the needles.

/** V8's kBMMaxShift: of a longer needle its tables know the end alone, and its search is quadratic (decision 114). */
const WHOLE_TABLE_CHARACTERS = 250;

/** The positions of the needle, from left to right; they do not overlap. */
export function placesOf(needle: string, text: string): number[] {
  // Most texts do not even have the needle's beginning, which V8 finds out ten times as fast.
  const first = text.indexOf(needle.slice(0, WHOLE_TABLE_CHARACTERS));
  if (first < 0 || first + needle.length > text.length) return [];
  return needle.length <= WHOLE_TABLE_CHARACTERS
    ? shortPlaces(needle, text, first)
    : longPlaces(needle, text, first);
}

function shortPlaces(needle: string, text: string, first: number): number[] {
  const places: number[] = [];
  for (let at = first; at >= 0; at = text.indexOf(needle, at + needle.length)) places.push(at);
  return places;
}

function longPlaces(needle: string, text: string, first: number): number[] {
  const places: number[] = [];
  const borders = bordersOf(needle, needle.length);
  let begun = 0;
  for (let at = first; at < text.length; at += 1) {
    begun = afterNext(needle, borders, begun, text.charCodeAt(at));
    if (begun < needle.length) continue;
    places.push(at + 1 - needle.length);
    begun = 0;
  }
  return places;
}

/**
 * The number of characters at the text's end that begin the needle, but are not all of it; 0 for fewer than
 * `least`.
 */
export function begunAtEnd(needle: string, text: string, least: number): number {
  const tail = text.slice(Math.max(0, text.length - needle.length + 1));
  const first = tail.indexOf(needle.slice(0, least));
  if (first < 0) return 0;
  const borders = bordersOf(needle, tail.length - first);
  let begun = 0;
  for (let at = first; at < tail.length; at += 1)
    begun = afterNext(needle, borders, begun, tail.charCodeAt(at));
  return begun < least ? 0 : begun;
}

/**
 * Borders by length less one: for each beginning of the needle, the longest shorter beginning that it ends
 * with (Knuth, Morris, Pratt).
 */
function bordersOf(needle: string, length: number): Uint32Array {
  const borders = new Uint32Array(length);
  let border = 0;
  for (let at = 1; at < length; at += 1) {
    border = afterNext(needle, borders, border, needle.charCodeAt(at));
    borders[at] = border;
  }
  return borders;
}

/** The length of the needle's beginning that ends with the text's next character. */
function afterNext(needle: string, borders: Uint32Array, begun: number, next: number): number {
  let length = begun;
  while (length > 0 && needle.charCodeAt(length) !== next) length = borders[length - 1] ?? 0;
  return needle.charCodeAt(length) === next ? length + 1 : length;
}
