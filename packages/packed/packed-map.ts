import { AddressIndex } from "./address-index.ts";
import { hashOf, KeyBytes } from "./key-bytes.ts";
import { Slabs } from "./slabs.ts";

/**
 * A map from strings to bytes for entries by the million: an entry takes its bytes, eight more and some sixteen of the index, and no object.
 */
export class PackedMap {
  readonly #key = new KeyBytes();
  readonly #slabs = new Slabs();
  readonly #index = new AddressIndex((address) =>
    this.#slabs.hasKey(address, this.#key.bytes, this.#key.length),
  );

  get size(): number {
    return this.#index.size;
  }

  /** The memory that it takes. */
  get sizeBytes(): number {
    return this.#index.sizeBytes + this.#slabs.sizeBytes;
  }

  /** A copy of the value. */
  get(key: string): Buffer | undefined {
    const slot = this.#find(key);
    return slot < 0 ? undefined : this.#slabs.value(this.#index.addressOf(slot));
  }

  has(key: string): boolean {
    return this.#find(key) >= 0;
  }

  /** Copies the value. */
  set(key: string, value: Buffer): void {
    const slot = this.#find(key);
    const { bytes, length, hash } = this.#key;
    const address = this.#slabs.add(bytes, length, value);
    if (slot < 0) {
      this.#index.add(hash, address);
      return;
    }
    const before = this.#index.addressOf(slot);
    this.#index.replace(slot, address);
    this.#removed(before);
  }

  delete(key: string): void {
    const slot = this.#find(key);
    if (slot < 0) return;
    const before = this.#index.addressOf(slot);
    this.#index.remove(slot);
    this.#removed(before);
  }

  /** All keys that are there now, in no order. */
  keys(): string[] {
    return Array.from(this.#index.addresses(), (address) => this.#slabs.key(address));
  }

  #find(key: string): number {
    this.#key.set(key);
    return this.#index.find(this.#key.hash);
  }

  #removed(before: number): void {
    const slab = this.#slabs.remove(before);
    if (slab === undefined) return;
    for (const { address, keyAt, valueAt, end } of Slabs.entries(slab, before)) {
      const slot = this.#index.findAt(hashOf(slab.bytes, keyAt, valueAt), address);
      if (slot < 0) continue;
      const key = slab.bytes.subarray(keyAt, valueAt);
      this.#index.replace(slot, this.#slabs.add(key, key.length, slab.bytes.subarray(valueAt, end)));
    }
  }
}
