const FIRST_BYTES = 256;
const ASCII = 0x80;
/** FNV-1a. */
const HASH = { first: 0x811c9dc5, factor: 0x01000193 };

/** Hashes bytes to 32 bits. The hash has no secret: for keys that no stranger chooses. */
export function hashOf(bytes: Buffer, from: number, to: number): number {
  let hash = HASH.first;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), HASH.factor);
  return mixed(hash);
}

/** FNV's low bits hardly depend on the last byte's high ones, and slots are found by the low bits. */
function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (half ^ (half >>> 13)) >>> 0;
}

/** The key that is being looked for, as UTF-8 with its hash: one place for all keys, so that none takes an object. */
export class KeyBytes {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;
  #hash = 0;
  #key: string | undefined;

  get bytes(): Buffer {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  get hash(): number {
    return this.#hash;
  }

  set(key: string): void {
    // Who writes an entry has often just looked for it.
    if (key === this.#key) return;
    this.#key = key;
    if (key.length > this.#bytes.length || !this.#setAscii(key)) this.#setText(key);
  }

  /** One pass over a short key takes less than a call into the runtime. False for a key that has other characters. */
  #setAscii(key: string): boolean {
    const bytes = this.#bytes;
    let hash = HASH.first;
    for (let at = 0; at < key.length; at += 1) {
      const code = key.charCodeAt(at);
      if (code >= ASCII) return false;
      bytes[at] = code;
      hash = Math.imul(hash ^ code, HASH.factor);
    }
    this.#length = key.length;
    this.#hash = mixed(hash);
    return true;
  }

  #setText(key: string): void {
    const length = Buffer.byteLength(key);
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(2 * length);
    this.#bytes.write(key);
    this.#length = length;
    this.#hash = hashOf(this.#bytes, 0, length);
  }
}
