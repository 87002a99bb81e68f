// A split block Bloom filter (as in Parquet): says in one cache line whether a key can be in a bucket. Nearly every id
// is new, and without it each would be looked up on disk in every one of the window's buckets.

const WORDS_PER_BLOCK = 8;
const BLOCK_BYTES = WORDS_PER_BLOCK * 4;
/** 16 bits a key: 2 false positives in 1,000 when full. */
const BYTES_PER_KEY = 2;
const TWO_TO_32 = 2 ** 32;

/** Odd constants from the Parquet specification, one for the bit in each of a block's words. */
const SALTS = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
] as const;

/** The parts of a key that filters need, computed once for all filters of a window. */
export interface Probe {
  /** 0 up to 1: which block. */
  position: number;
  /** One bit for each word of the block. */
  readonly masks: Int32Array;
}

export function createProbe(): Probe {
  return { position: 0, masks: new Int32Array(WORDS_PER_BLOCK) };
}

/** Aims the probe at a key of at least 8 latin1 characters, whose bits are evenly distributed. */
export function aimProbe(probe: Probe, key: string): void {
  probe.position = word(key, 0) / TWO_TO_32;
  const bits = word(key, 4);
  for (let index = 0; index < WORDS_PER_BLOCK; index++) {
    probe.masks[index] = 1 << (Math.imul(bits, SALTS[index] ?? 0) >>> 27);
  }
}

function word(key: string, at: number): number {
  const low = key.charCodeAt(at) | (key.charCodeAt(at + 1) << 8) | (key.charCodeAt(at + 2) << 16);
  return low + key.charCodeAt(at + 3) * 0x1000000;
}

/** A set of keys that may say yes wrongly, never no. */
export class IdFilter {
  readonly #words: Int32Array;
  readonly #blocks: number;

  private constructor(words: Int32Array) {
    this.#words = words;
    this.#blocks = words.length / WORDS_PER_BLOCK;
  }

  static forKeys(count: number): IdFilter {
    const blocks = Math.max(1, Math.ceil((count * BYTES_PER_KEY) / BLOCK_BYTES));
    return new IdFilter(new Int32Array(blocks * WORDS_PER_BLOCK));
  }

  /** Creates a filter from what `bytes` returned. */
  static from(bytes: Uint8Array): IdFilter {
    const words = new Int32Array(Math.floor(bytes.length / 4));
    new Uint8Array(words.buffer).set(bytes.subarray(0, words.length * 4));
    return new IdFilter(words);
  }

  get bytes(): Buffer {
    return Buffer.from(this.#words.buffer);
  }

  /** The number of keys beyond which it says yes wrongly more often than it should. */
  get capacity(): number {
    return (this.#words.length * 4) / BYTES_PER_KEY;
  }

  add({ position, masks }: Probe): void {
    const base = Math.floor(position * this.#blocks) * WORDS_PER_BLOCK;
    for (let index = 0; index < WORDS_PER_BLOCK; index++) {
      this.#words[base + index] = (this.#words[base + index] ?? 0) | (masks[index] ?? 0);
    }
  }

  mayHold({ position, masks }: Probe): boolean {
    const base = Math.floor(position * this.#blocks) * WORDS_PER_BLOCK;
    for (let index = 0; index < WORDS_PER_BLOCK; index++) {
      if (((this.#words[base + index] ?? 0) & (masks[index] ?? 0)) === 0) return false;
    }
    return true;
  }
}
