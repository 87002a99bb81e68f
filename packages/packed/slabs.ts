const SLAB_BYTES = 1024 * 1024;
/** Lengths of key and value. */
const HEADER_BYTES = 8;
/** Entries begin at multiples of it: 32 bits address 16 GiB. */
const ALIGNED_BYTES = 4;
const ADDRESSES_A_SLAB = SLAB_BYTES / ALIGNED_BYTES;
const MAX_SLABS = 2 ** 32 / ADDRESSES_A_SLAB - 1;

export interface Slab {
  readonly bytes: Buffer;
  used: number;
  /** The part of `used` that belongs to entries that were not removed. */
  live: number;
}

/** One of a slab's entries. */
export interface Entry {
  readonly address: number;
  readonly keyAt: number;
  readonly valueAt: number;
  readonly end: number;
}

/**
 * Byte strings with their keys, by the million, in a few hundred buffers: the garbage collector neither copies nor follows them. A slab
 * that is less than half in use is given up, so the slabs hold at most twice what was put into them.
 */
export class Slabs {
  readonly #slabs: (Slab | undefined)[] = [];
  readonly #freeIndexes: number[] = [];
  #current = -1;

  /** Bytes that are allocated. */
  get sizeBytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + (slab?.bytes.length ?? 0), 0);
  }

  /** Copies the first `keyBytes` of `key`, and the value; returns where they lie. */
  add(key: Buffer, keyBytes: number, value: Buffer): number {
    const sizeBytes = sizeOf(keyBytes, value.length);
    const slab = this.#roomFor(sizeBytes);
    const { bytes, used: at } = slab;
    bytes.writeUInt32LE(keyBytes, at);
    bytes.writeUInt32LE(value.length, at + 4);
    copy(key, bytes, at + HEADER_BYTES, keyBytes);
    copy(value, bytes, at + HEADER_BYTES + keyBytes, value.length);
    slab.used += sizeBytes;
    slab.live += sizeBytes;
    return this.#current * ADDRESSES_A_SLAB + at / ALIGNED_BYTES;
  }

  hasKey(address: number, key: Buffer, keyBytes: number): boolean {
    const { bytes } = this.#slabOf(address);
    const at = offsetOf(address);
    if (bytes.readUInt32LE(at) !== keyBytes) return false;
    for (let i = 0; i < keyBytes; i += 1) if (bytes[at + HEADER_BYTES + i] !== key[i]) return false;
    return true;
  }

  /** By their bytes. */
  compareKeys(one: number, other: number): number {
    const [a, b] = [this.#slabOf(one).bytes, this.#slabOf(other).bytes];
    const [first, second] = [entryAt(a, one), entryAt(b, other)];
    return a.compare(b, second.keyAt, second.valueAt, first.keyAt, first.valueAt);
  }

  key(address: number): string {
    const { bytes } = this.#slabOf(address);
    const { keyAt, valueAt } = entryAt(bytes, address);
    return bytes.toString("utf8", keyAt, valueAt);
  }

  /** A copy of the value. */
  value(address: number): Buffer {
    const { bytes } = this.#slabOf(address);
    const { valueAt, end } = entryAt(bytes, address);
    return Buffer.from(bytes.subarray(valueAt, end));
  }

  /** Removes an entry. Returns its slab if that was given up: entries of it that are still wanted have to be added again. */
  remove(address: number): Slab | undefined {
    const slab = this.#slabOf(address);
    const { keyAt, valueAt, end } = entryAt(slab.bytes, address);
    slab.live -= sizeOf(valueAt - keyAt, end - valueAt);
    const index = Math.floor(address / ADDRESSES_A_SLAB);
    if (index === this.#current || slab.live * 2 > slab.used) return undefined;
    this.#slabs[index] = undefined;
    this.#freeIndexes.push(index);
    return slab;
  }

  /** Entries of a slab, those that were removed too. `within` is the address of any of them. */
  static *entries({ bytes, used }: Slab, within: number): Generator<Entry> {
    const first = Math.floor(within / ADDRESSES_A_SLAB) * ADDRESSES_A_SLAB;
    for (let at = 0; at < used; ) {
      const entry = entryAt(bytes, first + at / ALIGNED_BYTES);
      yield entry;
      at += sizeOf(entry.valueAt - entry.keyAt, entry.end - entry.valueAt);
    }
  }

  #roomFor(sizeBytes: number): Slab {
    const current = this.#slabs[this.#current];
    if (current !== undefined && current.used + sizeBytes <= current.bytes.length) return current;
    const slab = { bytes: Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, sizeBytes)), used: 0, live: 0 };
    const index = this.#freeIndexes.pop() ?? this.#slabs.length;
    if (index >= MAX_SLABS) throw new RangeError(`${MAX_SLABS} slabs are full`);
    this.#current = index;
    this.#slabs[index] = slab;
    return slab;
  }

  #slabOf(address: number): Slab {
    const index = Math.floor(address / ADDRESSES_A_SLAB);
    const slab = this.#slabs[index];
    if (slab === undefined) throw new RangeError(`there is no slab ${index}`);
    return slab;
  }
}

function offsetOf(address: number): number {
  return (address % ADDRESSES_A_SLAB) * ALIGNED_BYTES;
}

function sizeOf(keyBytes: number, valueBytes: number): number {
  const sizeBytes = HEADER_BYTES + keyBytes + valueBytes;
  return sizeBytes + ((ALIGNED_BYTES - (sizeBytes % ALIGNED_BYTES)) % ALIGNED_BYTES);
}

function entryAt(bytes: Buffer, address: number): Entry {
  const at = offsetOf(address);
  const keyAt = at + HEADER_BYTES;
  const valueAt = keyAt + bytes.readUInt32LE(at);
  return { address, keyAt, valueAt, end: valueAt + bytes.readUInt32LE(at + 4) };
}

/** A loop takes less than a call into the runtime for so many bytes. */
const COPIED_BY_LOOP = 48;

function copy(source: Buffer, target: Buffer, at: number, length: number): void {
  if (length > COPIED_BY_LOOP) source.copy(target, at, 0, length);
  else for (let i = 0; i < length; i += 1) target[at + i] = source[i] as number;
}
