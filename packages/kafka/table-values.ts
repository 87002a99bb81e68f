import type { RawRecord } from "./types.ts";

/** What a table holds, by key. */
export interface TableValues<V> {
  readonly size: number;
  get(key: string): V | undefined;
  /** `record` is the one that `value` was decoded from. */
  set(key: string, value: V, record: RawRecord): void;
  delete(key: string): void;
  entries(): IterableIterator<[string, V]>;
}

export class DecodedValues<V> implements TableValues<V> {
  readonly #values = new Map<string, V>();

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  entries(): IterableIterator<[string, V]> {
    return this.#values.entries();
  }
}

/** A decoded destination takes a kilobyte: these, the ones in use, take 20 MB. */
const MAX_DECODED = 20_000;

/**
 * Keeps values as their bytes and decodes them when they are asked for. As one string of one byte a character, because a value of
 * 200 bytes takes 230 then, as an object of ours 950 and as a Buffer 450, and the garbage collector has nothing to follow in it.
 */
export class EncodedValues<V> implements TableValues<V> {
  readonly #decode: (record: RawRecord) => V | Promise<V>;
  readonly #topic: string;
  readonly #maxDecoded: number;
  readonly #bytes = new Map<string, string>();
  /** Those asked for last; a value stays the same object as long as it is here. */
  readonly #decoded = new Map<string, V>();

  constructor(topic: string, decode: (record: RawRecord) => V | Promise<V>, maxDecoded = MAX_DECODED) {
    this.#topic = topic;
    this.#decode = decode;
    this.#maxDecoded = maxDecoded;
  }

  get size(): number {
    return this.#bytes.size;
  }

  get(key: string): V | undefined {
    const known = this.#decoded.get(key);
    if (known !== undefined) return known;
    const bytes = this.#bytes.get(key);
    if (bytes === undefined) return undefined;
    const value = this.#decodeAgain(key, bytes);
    this.#remember(key, value);
    return value;
  }

  set(key: string, value: V, record: RawRecord): void {
    this.#bytes.set(key, record.value?.toString("latin1") ?? "");
    if (this.#decoded.has(key)) this.#decoded.set(key, value);
  }

  delete(key: string): void {
    this.#bytes.delete(key);
    this.#decoded.delete(key);
  }

  *entries(): IterableIterator<[string, V]> {
    for (const [key, bytes] of this.#bytes)
      yield [key, this.#decoded.get(key) ?? this.#decodeAgain(key, bytes)];
  }

  #decodeAgain(key: string, bytes: string): V {
    const value = Buffer.from(bytes, "latin1");
    const decoded = this.#decode({
      topic: this.#topic,
      partition: 0,
      offset: 0,
      key,
      value,
      timestampMs: 0,
    });
    if (decoded instanceof Promise) throw new TypeError("what was decoded before is not decoded at once");
    return decoded;
  }

  /** The one that came in first goes: keeping the order of use would cost more than decoding. */
  #remember(key: string, value: V): void {
    if (this.#decoded.size >= this.#maxDecoded) {
      const [oldest] = this.#decoded.keys();
      if (oldest !== undefined) this.#decoded.delete(oldest);
    }
    this.#decoded.set(key, value);
  }
}
