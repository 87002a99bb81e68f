// Writes the primitives of Avro's binary encoding, one after the other, without a schema: who writes says what stands where.
const FIRST_BYTES = 16 * 1024;
/** Records are cut from slabs: allocating one by one costs more than encoding. */
const SLAB_BYTES = 256 * 1024;

const CONTINUED = 0x80;
/** Of the numbers that readers of Avro in JavaScript take. */
const LARGEST = 2 ** 53 - 2;
/** Below this a number takes one path with integers only. */
const SMALL = 2 ** 30;
/** Four groups of seven bits. */
const LOW = 2 ** 28;
/** A text of fewer characters has a length of one byte, and is written character by character when it is ASCII. */
const SHORT = 64;
const LONGEST_NUMBER = 10;
const DOUBLE_BYTES = 8;
const UINT48_BYTES = 6;
/** The number 1, as a number is written. */
const SECOND_BRANCH = 2;

export class AvroWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = 0;
  #slab = Buffer.alloc(0);
  #used = 0;

  /** Forgets what was written since the last `take`. */
  begin(): void {
    this.#at = 0;
  }

  /** What was written since `begin`; nothing overwrites it. */
  take(): Buffer {
    const length = this.#at;
    if (this.#slab.length - this.#used < length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, length));
      this.#used = 0;
    }
    const taken = this.#slab.subarray(this.#used, this.#used + length);
    this.#bytes.copy(taken, 0, 0, length);
    this.#used += length;
    return taken;
  }

  byte(value: number): void {
    this.#room(1);
    this.#bytes[this.#at++] = value;
  }

  boolean(value: boolean): void {
    this.byte(value ? 1 : 0);
  }

  /** Throws unless it is a whole number. */
  long(value: number): void {
    this.#room(LONGEST_NUMBER);
    if (value >= -SMALL && value < SMALL && value === (value | 0)) {
      this.#small(value >= 0 ? value << 1 : ~(value << 1));
      return;
    }
    if (!Number.isInteger(value) || Math.abs(value) > LARGEST)
      throw new TypeError(`${value} is no whole number`);
    const folded = value >= 0 ? 2 * value : -2 * value - 1;
    const high = Math.floor(folded / LOW);
    let low = folded - high * LOW;
    for (let group = 0; group < 4; group += 1) {
      this.#bytes[this.#at++] = (low & 0x7f) | CONTINUED;
      low >>>= 7;
    }
    this.#small(high);
  }

  double(value: number): void {
    this.#room(DOUBLE_BYTES);
    this.#bytes.writeDoubleLE(value, this.#at);
    this.#at += DOUBLE_BYTES;
  }

  /** Six bytes of a value of bytes, the lowest first. */
  uint48(value: number): void {
    this.#room(UINT48_BYTES);
    const high = Math.floor(value / 2 ** 32);
    let low = value >>> 0;
    for (let place = 0; place < 4; place += 1) {
      this.#bytes[this.#at++] = low & 0xff;
      low >>>= 8;
    }
    this.#bytes[this.#at++] = high & 0xff;
    this.#bytes[this.#at++] = high >>> 8;
  }

  /** As it is, without a length. */
  raw(value: Uint8Array): void {
    this.#room(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
  }

  text(value: string): void {
    if (value.length < SHORT && this.#ascii(value)) return;
    const length = Buffer.byteLength(value);
    this.long(length);
    this.#room(length);
    this.#bytes.write(value, this.#at);
    this.#at += length;
  }

  /** Of a union of null, which stands first, and a number. */
  optionalLong(value: number | undefined): void {
    this.byte(value === undefined ? 0 : SECOND_BRANCH);
    if (value !== undefined) this.long(value);
  }

  optionalText(value: string | undefined): void {
    this.byte(value === undefined ? 0 : SECOND_BRANCH);
    if (value !== undefined) this.text(value);
  }

  /** So many elements of an array follow; 0 at its end. */
  block(elements: number): void {
    this.long(elements);
  }

  longs(values: readonly number[]): void {
    if (values.length > 0) this.block(values.length);
    for (const value of values) this.long(value);
    this.block(0);
  }

  doubles(values: readonly number[]): void {
    if (values.length > 0) this.block(values.length);
    for (const value of values) this.double(value);
    this.block(0);
  }

  texts(values: readonly string[]): void {
    if (values.length > 0) this.block(values.length);
    for (const value of values) this.text(value);
    this.block(0);
  }

  #small(folded: number): void {
    let rest = folded >>> 0;
    while (rest >= CONTINUED) {
      this.#bytes[this.#at++] = (rest & 0x7f) | CONTINUED;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  /** False, and nothing is written, when a character is not ASCII. */
  #ascii(value: string): boolean {
    const { length } = value;
    this.#room(1 + length);
    const bytes = this.#bytes;
    const start = this.#at + 1;
    for (let place = 0; place < length; place += 1) {
      const unit = value.charCodeAt(place);
      if (unit >= CONTINUED) return false;
      bytes[start + place] = unit;
    }
    bytes[this.#at] = length << 1;
    this.#at = start + length;
    return true;
  }

  #room(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
