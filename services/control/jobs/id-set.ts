// Which profile ids were seen, of millions: 8 bytes of hash for each, outside the heap.
import { hash } from "node:crypto";

/** With two thirds of its places taken a look finds an id in two steps, and none in five. */
const PLACES_PER_ID = 1.5;
const FEWEST_PLACES = 1_024;

/** Two of a million ids meet in 64 bits once in forty million imports. */
export class IdSet {
  readonly #places: BigUint64Array;
  readonly #mask: number;

  constructor(maxIds: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(FEWEST_PLACES, maxIds * PLACES_PER_ID)));
    this.#places = new BigUint64Array(places);
    this.#mask = places - 1;
  }

  /** False when it was there. */
  add(id: string): boolean {
    const { place, value } = this.#find(id);
    const isNew = this.#places[place] === 0n;
    this.#places[place] = value;
    return isNew;
  }

  has(id: string): boolean {
    return this.#places[this.#find(id).place] !== 0n;
  }

  /** Where it is, or where it would go. */
  #find(id: string): { readonly place: number; readonly value: bigint } {
    const bytes = hash("sha1", id, "buffer");
    // 0 is an empty place.
    const value = bytes.readBigUInt64LE() || 1n;
    let place = bytes.readUInt32LE() & this.#mask;
    while (this.#places[place] !== 0n && this.#places[place] !== value) place = (place + 1) & this.#mask;
    return { place, value };
  }
}

/** Of ids that come in an order the last ones, at least as many as it is made for; those before are forgotten. */
export class LastIds {
  readonly #least: number;
  #before: IdSet | undefined;
  #ids: IdSet;
  #added = 0;

  constructor(least: number) {
    this.#least = least;
    this.#ids = new IdSet(least);
  }

  add(id: string): void {
    if (this.#added === this.#least) {
      this.#before = this.#ids;
      this.#ids = new IdSet(this.#least);
      this.#added = 0;
    }
    this.#added += 1;
    this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id) || this.#before?.has(id) === true;
  }
}
