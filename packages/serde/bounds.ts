// avsc checks only at the end whether it read past the bytes it was given, so a damaged element count keeps it
// looping (2^60 times), or preallocating, before it notices. These fences let it stop at the first overrun.
import avro from "avsc";
import utils from "avsc/lib/utils.js";

/** Reading went past the end of the bytes. */
export class OverrunError extends Error {
  override readonly name = "OverrunError";
}

type Tap = typeof utils.Tap.prototype;

interface Skippable {
  _skip(tap: Tap): void;
}

interface Collection {
  readonly itemsType: Skippable;
  readonly valuesType: Skippable;
  _read(this: Collection, tap: Tap): unknown;
  _skip(this: Collection, tap: Tap): void;
}

/** A bit in a byte of a number: another byte follows. */
const CONTINUED = 0x80;

let bounded = false;

/** Applies the fences to the library, once. */
export function boundCollections(): void {
  if (bounded) return;
  bounded = true;
  const map = avro.types.MapType.prototype as unknown as Collection;
  const array = avro.types.ArrayType.prototype as unknown as Collection;
  boundReads(utils.Tap.prototype);
  boundPreallocation(array);
  boundSkips(array, ({ itemsType }, tap) => itemsType._skip(tap));
  boundSkips(map, ({ valuesType }, tap) => {
    tap.skipString();
    valuesType._skip(tap);
  });
}

/** Every element of our maps and arrays holds a number or a length, so this ends their loops as well. */
function boundReads(prototype: Tap): void {
  const { readLong } = prototype;
  prototype.readLong = function () {
    const { buf, pos } = this;
    const first = buf[pos];
    if (first === undefined) throw new OverrunError("the value ends inside a field");
    if (first >= CONTINUED) return readLong.call(this);
    // Most numbers are lengths and counts, of one byte.
    this.pos = pos + 1;
    return (first >>> 1) ^ -(first & 1);
  };
}

/** An array is allocated at the size that its first block announces; each element takes a byte or more. */
function boundPreallocation(prototype: Collection): void {
  const { _read } = prototype;
  prototype._read = function (tap) {
    const start = tap.pos;
    if (tap.buf[start] === 0) {
      tap.pos = start + 1;
      return [];
    }
    checkAnnounced(Math.abs(tap.readLong()), tap);
    tap.pos = start;
    return _read.call(this, tap);
  };
}

function checkAnnounced(elements: number, { buf, pos }: Tap): void {
  if (elements > buf.length - pos)
    throw new OverrunError("an array announces more elements than bytes follow");
}

/** The library's own skipping trusts a block's size, which may point backwards for ever: here elements are skipped one by one. */
function boundSkips(prototype: Collection, skipElement: (collection: Collection, tap: Tap) => void): void {
  prototype._skip = function (tap) {
    for (let announced = tap.readLong(); announced !== 0; announced = tap.readLong()) {
      const hasSize = announced < 0;
      if (hasSize) tap.readLong();
      const elements = Math.abs(announced);
      checkAnnounced(elements, tap);
      for (let element = 0; element < elements; element += 1) skipElement(this, tap);
    }
  };
}
