import { PackedMap, RecentMap } from "#packed";
import { isPromise } from "../decoding.ts";
import type { TableValues } from "../table-types.ts";
import type { RawRecord } from "../types.ts";

export class DecodedValues<V> implements TableValues<V, V> {
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

/** Keeps nothing. */
export class NoValues<V> extends DecodedValues<V> {
  override set(): void {
    // The listeners have it.
  }
}

/** A decoded destination takes a kilobyte: these, the ones in use, take 20 MB. */
const MAX_DECODED = 20_000;

/** Keeps values as bytes, in no order, and decodes them when they are asked for. */
export class EncodedValues<V> implements TableValues<V, unknown> {
  readonly #decode: (record: RawRecord) => V | Promise<V>;
  readonly #topic: string;
  readonly #bytes = new PackedMap();
  /** The values asked for last; a value stays the same object as long as it is here. */
  readonly #decoded: RecentMap<V>;

  constructor(topic: string, decode: (record: RawRecord) => V | Promise<V>, maxDecoded = MAX_DECODED) {
    this.#topic = topic;
    this.#decode = decode;
    this.#decoded = new RecentMap(maxDecoded);
  }

  get size(): number {
    return this.#bytes.size;
  }

  get(key: string): V | undefined {
    const known = this.#decoded.get(key);
    if (known !== undefined) return known;
    const bytes = this.#bytes.get(key);
    if (bytes === undefined) return undefined;
    const value = this.#decodeOne(key, bytes);
    this.#decoded.set(key, value);
    return value;
  }

  set(key: string, _: unknown, kept: Buffer): void {
    this.#bytes.set(key, kept);
    this.#decoded.delete(key);
  }

  delete(key: string): void {
    this.#bytes.delete(key);
    this.#decoded.delete(key);
  }

  *entries(): IterableIterator<[string, V]> {
    for (const key of this.#bytes.keys()) {
      const bytes = this.#bytes.get(key);
      // It may have gone while the caller was at another one.
      if (bytes !== undefined) yield [key, this.#decoded.get(key) ?? this.#decodeOne(key, bytes)];
    }
  }

  #decodeOne(key: string, value: Buffer): V {
    const record = { topic: this.#topic, partition: 0, offset: 0, key, value, timestampMs: 0 };
    const decoded = this.#decode(record);
    if (isPromise(decoded))
      throw new TypeError("a record that was decoded before is not decoded synchronously");
    return decoded;
  }
}
