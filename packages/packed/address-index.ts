const FIRST_SLOTS = 16;
/** Above this share of used slots a search would take more than a few steps. */
const MAX_USED = 0.7;
const NONE = -1;
/** Words of a slot: one more than the address, 0 where the slot is free; the hash. Side by side, so that a look takes one cache line. */
const WORDS = 2;

/**
 * Where each key's entry lies, found by the key's hash: eight bytes a slot, without an object for the garbage collector to follow. A search
 * goes on from slot to slot up to a free one.
 */
export class AddressIndex {
  readonly #isWanted: (address: number) => boolean;
  #words = new Uint32Array(FIRST_SLOTS * WORDS);
  #slots = FIRST_SLOTS;
  #size = 0;

  /** `isWanted` tells whether the entry at an address has the key that is looked for. */
  constructor(isWanted: (address: number) => boolean) {
    this.#isWanted = isWanted;
  }

  get size(): number {
    return this.#size;
  }

  get sizeBytes(): number {
    return this.#words.byteLength;
  }

  /** The slot of the wanted entry, or -1. */
  find(hash: number): number {
    const words = this.#words;
    const mask = this.#slots - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = words[slot * WORDS] as number;
      if (place === 0) return NONE;
      if (words[slot * WORDS + 1] === hash && this.#isWanted(place - 1)) return slot;
    }
  }

  /** The slot of the entry that lies at this address, or -1. */
  findAt(hash: number, address: number): number {
    return this.findWhere(hash, (other) => other === address);
  }

  /** The slot of the entry with this hash that `holds`, or -1. */
  findWhere(hash: number, holds: (address: number) => boolean): number {
    const mask = this.#slots - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = this.#words[slot * WORDS] as number;
      if (place === 0) return NONE;
      if (this.#words[slot * WORDS + 1] === hash && holds(place - 1)) return slot;
    }
  }

  addressOf(slot: number): number {
    return (this.#words[slot * WORDS] as number) - 1;
  }

  replace(slot: number, address: number): void {
    this.#words[slot * WORDS] = address + 1;
  }

  add(hash: number, address: number): void {
    if (this.#size >= this.#slots * MAX_USED) this.#grow();
    this.#put(hash, address + 1);
    this.#size += 1;
  }

  remove(slot: number): void {
    const words = this.#words;
    const mask = this.#slots - 1;
    let free = slot;
    // A search would end at the free slot: entries behind it move there if they may stand so early.
    for (let next = (free + 1) & mask; words[next * WORDS] !== 0; next = (next + 1) & mask) {
      const home = (words[next * WORDS + 1] as number) & mask;
      if (((next - home) & mask) < ((next - free) & mask)) continue;
      words.copyWithin(free * WORDS, next * WORDS, (next + 1) * WORDS);
      free = next;
    }
    words[free * WORDS] = 0;
    this.#size -= 1;
  }

  /** Addresses of all entries now. */
  addresses(): number[] {
    const found: number[] = [];
    for (let slot = 0; slot < this.#slots; slot += 1)
      if (this.#words[slot * WORDS] !== 0) found.push(this.addressOf(slot));
    return found;
  }

  #put(hash: number, place: number): void {
    const words = this.#words;
    const mask = this.#slots - 1;
    let slot = hash & mask;
    while (words[slot * WORDS] !== 0) slot = (slot + 1) & mask;
    words[slot * WORDS] = place;
    words[slot * WORDS + 1] = hash;
  }

  #grow(): void {
    const before = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * WORDS);
    for (let at = 0; at < before.length; at += WORDS) {
      const place = before[at] as number;
      if (place !== 0) this.#put(before[at + 1] as number, place);
    }
  }
}
