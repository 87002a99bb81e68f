import type { RawRecord } from "../types.ts";
import { ValueArena } from "./value-arena.ts";

/** The content of a table of V, by key. `set` derives an L from a new value: the V itself, or some of it. */
export interface TableValues<V, L> {
  readonly size: number;
  get(key: string): V | undefined;
  /** `record` is the one that `value` was decoded from. */
  set(key: string, value: L, record: RawRecord): void;
  delete(key: string): void;
  entries(): IterableIterator<[string, V]>;
}

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

/** Keeps values as their bytes and decodes them when they are asked for. */
export class EncodedValues<V> implements TableValues<V, unknown> {
  readonly #decode: (record: RawRecord) => V | Promise<V>;
  readonly #topic: string;
  readonly #maxDecoded: number;
  readonly #addresses = new Map<string, number>();
  readonly #arena = new ValueArena({
    addressOf: (key) => this.#addresses.get(key),
    moved: (key, address) => this.#addresses.set(key, address),
  });
  /** The values asked for last; a value stays the same object as long as it is here. */
  readonly #decoded = new Map<string, V>();

  constructor(topic: string, decode: (record: RawRecord) => V | Promise<V>, maxDecoded = MAX_DECODED) {
    this.#topic = topic;
    this.#decode = decode;
    this.#maxDecoded = maxDecoded;
  }

  get size(): number {
    return this.#addresses.size;
  }

  /** The memory that the values' bytes take. */
  get sizeBytes(): number {
    return this.#arena.sizeBytes;
  }

  get(key: string): V | undefined {
    const known = this.#decoded.get(key);
    if (known !== undefined) return known;
    const address = this.#addresses.get(key);
    if (address === undefined) return undefined;
    const value = this.#decodeAt(key, address);
    this.#remember(key, value);
    return value;
  }

  set(key: string, _: unknown, { value }: RawRecord): void {
    const before = this.#addresses.get(key);
    this.#addresses.set(key, this.#arena.add(key, value ?? Buffer.alloc(0)));
    this.#forget(key, before);
  }

  delete(key: string): void {
    const before = this.#addresses.get(key);
    this.#addresses.delete(key);
    this.#forget(key, before);
  }

  *entries(): IterableIterator<[string, V]> {
    for (const [key, address] of this.#addresses)
      yield [key, this.#decoded.get(key) ?? this.#decodeAt(key, address)];
  }

  #forget(key: string, address: number | undefined): void {
    if (address === undefined) return;
    this.#arena.remove(address);
    this.#decoded.delete(key);
  }

  #decodeAt(key: string, address: number): V {
    const value = this.#arena.get(address);
    const record = { topic: this.#topic, partition: 0, offset: 0, key, value, timestampMs: 0 };
    const decoded = this.#decode(record);
    if (decoded instanceof Promise)
      throw new TypeError("a record that was decoded before is not decoded synchronously");
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
