const SLAB_BYTES = 1024 * 1024;
/** Lengths of key and value. */
const HEADER_BYTES = 8;

interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** The part of `used` that belongs to entries that were not removed. */
  live: number;
}

interface Entry {
  readonly key: string;
  readonly value: Buffer;
  readonly sizeBytes: number;
}

/** The owner of the arena, which knows where each key's entry lies. */
export interface ValueArenaOwner {
  /** Undefined when the key is not there any more. */
  addressOf(key: string): number | undefined;
  moved(key: string, address: number): void;
}

/**
 * Byte strings by the million, in a few hundred buffers: the garbage collector neither copies nor follows them. A slab that is less
 * than half in use gives up what is left in it, so the slabs hold at most twice what was put into them.
 */
export class ValueArena {
  readonly #owner: ValueArenaOwner;
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  #current = -1;

  constructor(owner: ValueArenaOwner) {
    this.#owner = owner;
  }

  /** Bytes that are allocated. */
  get sizeBytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0);
  }

  /** Copies the value; returns where it lies. */
  add(key: string, value: Buffer): number {
    const keyBytes = Buffer.byteLength(key);
    const sizeBytes = HEADER_BYTES + keyBytes + value.length;
    const slab = this.#roomFor(sizeBytes);
    const at = slab.used;
    slab.bytes.writeUInt32LE(keyBytes, at);
    slab.bytes.writeUInt32LE(value.length, at + 4);
    slab.bytes.write(key, at + HEADER_BYTES);
    value.copy(slab.bytes, at + HEADER_BYTES + keyBytes);
    slab.used += sizeBytes;
    slab.live += sizeBytes;
    return this.#current * SLAB_BYTES + at;
  }

  /** A copy of the value. */
  get(address: number): Buffer {
    return Buffer.from(this.#at(address).entry.value);
  }

  /** Removes an entry. Call it when the key's address is already another one, or none. */
  remove(address: number): void {
    const { entry, index, slab } = this.#at(address);
    slab.live -= entry.sizeBytes;
    if (index === this.#current || slab.live * 2 > slab.used) return;
    this.#slabs[index] = undefined;
    this.#freeIndexes.push(index);
    for (let at = 0; at < slab.used; ) {
      const { key, value, sizeBytes } = entryAt(slab, at);
      const isLive = this.#owner.addressOf(key) === index * SLAB_BYTES + at;
      if (isLive) this.#owner.moved(key, this.add(key, value));
      at += sizeBytes;
    }
  }

  #roomFor(sizeBytes: number): Slab {
    const current = this.#slabs[this.#current];
    if (current !== undefined && current.used + sizeBytes <= current.bytes.length) return current;
    const slab = { bytes: Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, sizeBytes)), used: 0, live: 0 };
    this.#current = this.#freeIndexes.pop() ?? this.#slabs.length;
    this.#slabs[this.#current] = slab;
    return slab;
  }

  #at(address: number): { readonly entry: Entry; readonly index: number; readonly slab: Slab } {
    const index = Math.floor(address / SLAB_BYTES);
    const slab = this.#slabs[index];
    if (slab === undefined) throw new RangeError(`there is no slab ${index}`);
    return { entry: entryAt(slab, address % SLAB_BYTES), index, slab };
  }
}

function entryAt({ bytes }: Slab, at: number): Entry {
  const keyAt = at + HEADER_BYTES;
  const valueAt = keyAt + bytes.readUInt32LE(at);
  const end = valueAt + bytes.readUInt32LE(at + 4);
  return {
    get key() {
      return bytes.toString("utf8", keyAt, valueAt);
    },
    value: bytes.subarray(valueAt, end),
    sizeBytes: end - at,
  };
}
