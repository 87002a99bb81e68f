// All suffixes of a text in their order: whether the text has a part is then a binary search, whatever text and part are.

/** Suffixes are told apart by so many characters: no part is longer (MAX_TEXT_CHARACTERS). */
const ORDERED_CHARACTERS = 1_024;

export class SuffixIndex {
  readonly #text: string;
  readonly #starts: Uint32Array;

  constructor(text: string) {
    this.#text = text;
    this.#starts = sortedSuffixes(text);
  }

  /** `part` has at most 1,024 characters. */
  includes(part: string): boolean {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#prefix(middle, part.length) < part) low = middle + 1;
      else high = middle;
    }
    return this.#prefix(low, part.length) === part;
  }

  #prefix(place: number, length: number): string {
    const start = this.#starts[place] ?? this.#text.length;
    return this.#text.slice(start, start + length);
  }
}

interface Sorted {
  readonly order: Uint32Array;
  readonly ranks: Uint32Array;
}

/**
 * Each round doubles by how many characters the suffixes are sorted; each is linear in the text. A suffix's rank is the first place of
 * those that are like it so far, so that a place is found by counting up from the rank. Each loop is a function of its own and allocates
 * nothing: the first text of a process is sorted before they are compiled, and so costs half as much.
 */
function sortedSuffixes(text: string): Uint32Array {
  const { length } = text;
  let sorted = byFirstCharacter(text);
  let spare: Sorted = { order: new Uint32Array(length), ranks: new Uint32Array(length) };
  const filled = new Uint32Array(length);
  let isOrdered = false;
  for (let width = 1; width < ORDERED_CHARACTERS && !isOrdered; width *= 2) {
    filled.fill(0);
    placeShort({ sorted, into: spare.order, filled, width });
    placeOthers({ sorted, into: spare.order, filled, width });
    isOrdered = rankAgain({ order: spare.order, ranks: sorted.ranks, into: spare.ranks, width });
    [sorted, spare] = [spare, sorted];
  }
  return sorted.order;
}

function byFirstCharacter(text: string): Sorted {
  const { length } = text;
  const codes = codesOf(text);
  const places = firstPlaces(codes.toSorted());
  const [order, ranks, filled] = [new Uint32Array(length), new Uint32Array(length), new Uint32Array(length)];
  for (let start = 0; start < length; start += 1) {
    const own = places.get(codes[start] ?? 0) ?? 0;
    const before = filled[own] ?? 0;
    order[own + before] = start;
    filled[own] = before + 1;
    ranks[start] = own;
  }
  return { order, ranks };
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let start = 0; start < text.length; start += 1) codes[start] = text.charCodeAt(start);
  return codes;
}

/** By character. No table of all 65,536: of a hundred short texts that alone would take a tenth of a second. */
function firstPlaces(sorted: Uint16Array): Map<number, number> {
  const places = new Map<number, number>();
  let before = -1;
  for (let place = 0; place < sorted.length; place += 1) {
    const code = sorted[place] ?? 0;
    if (code !== before) places.set(code, place);
    before = code;
  }
  return places;
}

interface Placing {
  readonly sorted: Sorted;
  readonly into: Uint32Array;
  /** How many stand behind each rank already. */
  readonly filled: Uint32Array;
  readonly width: number;
}

/** Suffixes that end before `width` characters: nothing goes first. */
function placeShort({ sorted: { ranks }, into, filled, width }: Placing): void {
  const { length } = ranks;
  for (let start = Math.max(0, length - width); start < length; start += 1) {
    const own = ranks[start] ?? 0;
    const before = filled[own] ?? 0;
    into[own + before] = start;
    filled[own] = before + 1;
  }
}

/** All others, in the order of what stands `width` characters behind their beginning. */
function placeOthers({ sorted: { order, ranks }, into, filled, width }: Placing): void {
  const { length } = order;
  for (let at = 0; at < length; at += 1) {
    const start = (order[at] ?? 0) - width;
    if (start < 0) continue;
    const own = ranks[start] ?? 0;
    const before = filled[own] ?? 0;
    into[own + before] = start;
    filled[own] = before + 1;
  }
}

interface Ranking extends Sorted {
  readonly into: Uint32Array;
  readonly width: number;
}

/** Ranks by twice as many characters: two suffixes are alike when both halves were. True when no two are. */
function rankAgain({ order, ranks, into, width }: Ranking): boolean {
  const { length } = order;
  let isOrdered = true;
  let [before, rank] = [order[0] ?? 0, 0];
  into[before] = 0;
  for (let place = 1; place < length; place += 1) {
    const start = order[place] ?? 0;
    const isLike = ranks[start] === ranks[before] && ranks[start + width] === ranks[before + width];
    if (isLike) isOrdered = false;
    else rank = place;
    into[start] = rank;
    before = start;
  }
  return isOrdered;
}
