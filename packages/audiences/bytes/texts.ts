// Texts that come again and again, such as ids and names: found by their bytes, they are not created a second time.
const SLOTS = 4_096;
const LONGEST = 64;
const ASCII = 0x80;
const PRIME = 0x01000193;

function isText(text: string, bytes: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let place = 0; place < length; place += 1)
    if (text.charCodeAt(place) !== bytes[start + place]) return false;
  return true;
}

/** The slot of an ASCII text; undefined when it is none. */
function slotOf(bytes: Buffer, start: number, length: number): number | undefined {
  let hash = length;
  for (let place = start; place < start + length; place += 1) {
    const byte = bytes[place] ?? 0;
    if (byte >= ASCII) return undefined;
    hash = Math.imul(hash ^ byte, PRIME);
  }
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

/** Of two texts in one slot the later one stays. */
export class Texts {
  readonly #texts: string[] = Array.from({ length: SLOTS }, () => "");
  /** The slot of what came behind this one the last time: records of one kind have mostly the same ids in the same order. */
  readonly #next = new Uint16Array(SLOTS);
  #last = 0;

  of(bytes: Buffer, start: number, length: number): string {
    const next = this.#next[this.#last] ?? 0;
    const expected = this.#texts[next] ?? "";
    if (isText(expected, bytes, start, length)) {
      this.#last = next;
      return expected;
    }
    const slot = length > LONGEST ? undefined : slotOf(bytes, start, length);
    if (slot === undefined) return bytes.toString("utf8", start, start + length);
    this.#next[this.#last] = slot;
    this.#last = slot;
    return this.#at(slot, bytes, start, length);
  }

  #at(slot: number, bytes: Buffer, start: number, length: number): string {
    const known = this.#texts[slot] ?? "";
    if (isText(known, bytes, start, length)) return known;
    const text = bytes.toString("latin1", start, start + length);
    this.#texts[slot] = text;
    return text;
  }
}
