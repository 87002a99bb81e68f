// Reads the primitives of Avro's binary encoding, one after the other, without a schema: who reads knows what stands where.
import { Texts } from "./texts.ts";

const CONTINUED = 0x80;
/** Of a number, up to here by integers: four groups of seven. */
const LOW_BITS = 28;
const DOUBLE_BYTES = 8;
const NOTHING = Buffer.alloc(0);
// Most arrays have no elements.
const EMPTY: readonly never[] = [];

const readLong = (reader: AvroReader): number => reader.long();
const readDouble = (reader: AvroReader): number => reader.double();
const readText = (reader: AvroReader): string => reader.text();

/** The bytes end inside a value, or go on behind the last one. */
class AvroBytesError extends Error {
  override readonly name = "AvroBytesError";
}

export class AvroReader {
  readonly #texts = new Texts();
  #bytes: Buffer = NOTHING;
  #at = 0;

  begin(bytes: Buffer, at: number): void {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** Throws unless all was read. Nothing of the bytes is held any longer. */
  end(): void {
    const left = this.#bytes.length - this.#at;
    this.#bytes = NOTHING;
    if (left !== 0) throw new AvroBytesError(`${left} bytes follow the record`);
  }

  boolean(): boolean {
    return this.#byte() === 1;
  }

  long(): number {
    const first = this.#byte();
    if (first < CONTINUED) return (first >>> 1) ^ -(first & 1);
    let low = first & 0x7f;
    for (let shift = 7; shift < LOW_BITS; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < CONTINUED) return (low >>> 1) ^ -(low & 1);
    }
    const folded = low + this.#high() * 2 ** LOW_BITS;
    return (folded % 2 === 0 ? folded : -(folded + 1)) / 2;
  }

  double(): number {
    const at = this.#take(DOUBLE_BYTES);
    return this.#bytes.readDoubleLE(at);
  }

  /** A view of what was given to `begin`. */
  bytes(): Buffer {
    const length = this.long();
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(): string {
    const length = this.long();
    const at = this.#take(length);
    return this.#bytes.toString("utf8", at, at + length);
  }

  /** A text that is in many records: the same one is not created again. */
  name(): string {
    const length = this.long();
    const at = this.#take(length);
    return this.#texts.of(this.#bytes, at, length);
  }

  optionalLong(): number | undefined {
    return this.#isThere() ? this.long() : undefined;
  }

  optionalText(): string | undefined {
    return this.#isThere() ? this.text() : undefined;
  }

  /** Calls `read`, which reads one element, for each of an array. */
  each(read: () => void): void {
    for (let left = this.#block(); left > 0; left = this.#block()) for (; left > 0; left -= 1) read();
  }

  longs(): readonly number[] {
    return this.#array(readLong);
  }

  doubles(): readonly number[] {
    return this.#array(readDouble);
  }

  texts(): readonly string[] {
    return this.#array(readText);
  }

  #array<V>(read: (reader: AvroReader) => V): readonly V[] {
    const count = this.#block();
    if (count === 0) return EMPTY;
    const values = new Array<V>(count);
    for (let place = 0; place < count; place += 1) values[place] = read(this);
    this.each(() => values.push(read(this)));
    return values;
  }

  /** How many elements follow; 0 at the end of an array. */
  #block(): number {
    const length = this.long();
    // Its bytes are said, too, before the elements.
    if (length < 0) this.long();
    const count = Math.abs(length);
    if (count > this.#bytes.length - this.#at) throw new AvroBytesError("the value ends inside an array");
    return count;
  }

  /** Of a union of null, which stands first, and one type. */
  #isThere(): boolean {
    const branch = this.long();
    if (branch === 0 || branch === 1) return branch === 1;
    throw new AvroBytesError(`a union of two has no branch ${branch}`);
  }

  /** What follows the first 28 bits of a number. */
  #high(): number {
    let high = 0;
    let factor = 1;
    for (let byte = CONTINUED; byte >= CONTINUED; factor *= 128) {
      byte = this.#byte();
      high += (byte & 0x7f) * factor;
    }
    return high;
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new AvroBytesError("the value ends inside a field");
    this.#at += 1;
    return byte;
  }

  #take(length: number): number {
    const at = this.#at;
    if (!(length >= 0 && length <= this.#bytes.length - at))
      throw new AvroBytesError("the value ends inside a field");
    this.#at = at + length;
    return at;
  }
}
