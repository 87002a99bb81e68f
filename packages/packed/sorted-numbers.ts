/** Numbers of one piece: few enough to move them with each insertion, enough that the list of pieces stays short. */
const PIECE = 512;
const FILLED = 384;

interface Piece {
  readonly numbers: Float64Array;
  length: number;
}

/** Tells whether a number stands behind some place of the order. */
type IsBehind = (number: number) => boolean;

/**
 * Numbers in an order, by the million: ten bytes each, nothing for the garbage collector to follow, and a change moves no more than a few
 * hundred of them.
 */
export class SortedNumbers {
  readonly #compare: (one: number, other: number) => number;
  readonly #pieces: Piece[] = [];
  /** The piece of the last change: the next one is often beside it. */
  #recent = 0;
  #size = 0;

  /** Never 0 for two different numbers; it stays the same while they are here. */
  constructor(compare: (one: number, other: number) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#size;
  }

  add(number: number): void {
    const { at, index } = this.#find((other) => this.#compare(other, number) > 0);
    const piece = this.#pieces[index];
    if (piece === undefined) this.#begin(number);
    else if (piece.length < PIECE) insert(piece, at, number);
    else this.#split(index, at, number);
    this.#size += 1;
  }

  /** Adds many, which are in order and not there yet, in one walk over all: that is less than a search for each from some hundreds on. */
  addAll(added: Float64Array): void {
    const pieces = this.#pieces.splice(0);
    let from = 0;
    for (const piece of pieces) {
      const last = lastOf(piece);
      let to = from;
      while (to < added.length && this.#compare(added[to] as number, last) < 0) to += 1;
      const others = added.subarray(from, to);
      if (piece.length + others.length > PIECE) this.#pushAll(this.#merged(piece, others));
      else {
        this.#mergeInto(piece, others);
        this.#pieces.push(piece);
      }
      from = to;
    }
    this.#pushAll(added.subarray(from));
    this.#size += added.length;
  }

  /** Nothing where it is not there. */
  remove(number: number): void {
    const { at, index } = this.#find((other) => this.#compare(other, number) >= 0);
    const piece = this.#pieces[index];
    if (piece === undefined || at >= piece.length || piece.numbers[at] !== number) return;
    piece.numbers.copyWithin(at, at + 1, piece.length);
    piece.length -= 1;
    if (piece.length === 0) this.#pieces.splice(index, 1);
    this.#size -= 1;
  }

  /** The first so many that are behind. */
  behind(isBehind: IsBehind, count: number): number[] {
    const found: number[] = [];
    const from = this.#find(isBehind);
    for (let { at, index } = from; found.length < count; at += 1) {
      const piece = this.#pieces[index];
      if (piece === undefined) break;
      if (at < piece.length) found.push(piece.numbers[at] as number);
      else [index, at] = [index + 1, -1];
    }
    return found;
  }

  /** The last so many that are not behind, the last one first. */
  before(isBehind: IsBehind, count: number): number[] {
    const found: number[] = [];
    const from = this.#find(isBehind);
    for (let { at, index } = from; found.length < count; ) {
      at -= 1;
      if (at >= 0) found.push(this.#pieces[index]?.numbers[at] as number);
      else if (index === 0) break;
      else [index, at] = [index - 1, this.#pieces[index - 1]?.length ?? 0];
    }
    return found;
  }

  /** Where the first one is that is behind; in the last piece, behind its end, where none is. */
  #find(isBehind: IsBehind): { readonly index: number; readonly at: number } {
    const index = this.#pieceOf(isBehind);
    const piece = this.#pieces[index];
    this.#recent = index;
    if (piece === undefined) return { index, at: 0 };
    let [from, to] = [0, piece.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isBehind(piece.numbers[middle] as number)) to = middle;
      else from = middle + 1;
    }
    return { index, at: from };
  }

  #pieceOf(isBehind: IsBehind): number {
    const last = this.#pieces.length - 1;
    const ends = (index: number): boolean => isBehind(lastOf(this.#pieces[index] as Piece));
    const recent = this.#recent;
    if (recent < last && ends(recent) && (recent === 0 || !ends(recent - 1))) return recent;
    let [from, to] = [0, Math.max(0, last)];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (ends(middle)) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  #merged({ length, numbers }: Piece, others: Float64Array): Float64Array {
    const merged = new Float64Array(length + others.length);
    merged.set(numbers.subarray(0, length));
    this.#mergeInto({ numbers: merged, length }, others);
    return merged;
  }

  /** From the end, so that each number moves once, and those before all of the others not at all. */
  #mergeInto(piece: Piece, others: Float64Array): void {
    const { numbers } = piece;
    let one = piece.length - 1;
    let other = others.length - 1;
    piece.length += others.length;
    while (other >= 0) {
      const isOne = one >= 0 && this.#compare(numbers[one] as number, others[other] as number) > 0;
      numbers[one + other + 1] = (isOne ? numbers[one] : others[other]) as number;
      if (isOne) one -= 1;
      else other -= 1;
    }
  }

  /** In pieces of one length, with room for more. */
  #pushAll(numbers: Float64Array): void {
    const count = numbers.length <= PIECE ? 1 : Math.ceil(numbers.length / FILLED);
    for (let part = 0; part < count && numbers.length > 0; part += 1) {
      const [from, to] = [part, part + 1].map((each) => Math.floor((each * numbers.length) / count));
      const piece = { numbers: new Float64Array(PIECE), length: (to as number) - (from as number) };
      piece.numbers.set(numbers.subarray(from, to));
      this.#pieces.push(piece);
    }
  }

  #begin(number: number): void {
    const piece = { numbers: new Float64Array(PIECE), length: 0 };
    insert(piece, 0, number);
    this.#pieces.push(piece);
  }

  #split(index: number, at: number, number: number): void {
    // What comes in order leaves full pieces behind it.
    if (at === PIECE && index === this.#pieces.length - 1) {
      this.#begin(number);
      return;
    }
    const piece = this.#pieces[index] as Piece;
    const half = PIECE / 2;
    const upper = { numbers: new Float64Array(PIECE), length: PIECE - half };
    upper.numbers.set(piece.numbers.subarray(half));
    piece.length = half;
    this.#pieces.splice(index + 1, 0, upper);
    if (at <= half) insert(piece, at, number);
    else insert(upper, at - half, number);
  }
}

function insert(piece: Piece, at: number, number: number): void {
  piece.numbers.copyWithin(at + 1, at, piece.length);
  piece.numbers[at] = number;
  piece.length += 1;
}

function lastOf({ length, numbers }: Piece): number {
  return numbers[length - 1] as number;
}
