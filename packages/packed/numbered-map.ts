import { AddressIndex } from "./address-index.ts";
import { hashOf, KeyBytes } from "./key-bytes.ts";
import { Slabs } from "./slabs.ts";

const FIRST_NUMBERS = 1_024;

/**
 * A PackedMap whose entries have small numbers, by which lists of them are kept beside it: four bytes more for each. A number is that of one
 * key as long as the key is there.
 */
export class NumberedMap {
  readonly #key = new KeyBytes();
  readonly #slabs = new Slabs();
  #addresses = new Uint32Array(FIRST_NUMBERS);
  readonly #free: number[] = [];
  #numbers = 0;
  readonly #index = new AddressIndex((number) =>
    this.#slabs.hasKey(this.#addressOf(number), this.#key.bytes, this.#key.length),
  );

  get size(): number {
    return this.#index.size;
  }

  /** All keys that are there now, in no order. */
  keys(): string[] {
    return Array.from(this.#index.addresses(), (number) => this.keyOf(number));
  }

  /** -1 when it is not there. */
  numberOf(key: string): number {
    const slot = this.#find(key);
    return slot < 0 ? -1 : this.#index.addressOf(slot);
  }

  keyOf(number: number): string {
    return this.#slabs.key(this.#addressOf(number));
  }

  /** A copy of the value. */
  valueOf(number: number): Buffer {
    return this.#slabs.value(this.#addressOf(number));
  }

  /** Compares keys by their bytes. */
  compareKeys(one: number, other: number): number {
    return this.#slabs.compareKeys(this.#addressOf(one), this.#addressOf(other));
  }

  /** Copies the value; returns the entry's number. */
  set(key: string, value: Buffer): number {
    const slot = this.#find(key);
    const { bytes, length, hash } = this.#key;
    const address = this.#slabs.add(bytes, length, value);
    if (slot >= 0) {
      const number = this.#index.addressOf(slot);
      this.#replace(number, address);
      return number;
    }
    const number = this.#free.pop() ?? this.#numbers;
    if (number === this.#numbers) this.#numbers += 1;
    if (number === this.#addresses.length) this.#grow();
    this.#addresses[number] = address;
    this.#index.add(hash, number);
    return number;
  }

  delete(key: string): void {
    const slot = this.#find(key);
    if (slot < 0) return;
    const number = this.#index.addressOf(slot);
    this.#index.remove(slot);
    this.#free.push(number);
    this.#removed(this.#addressOf(number));
  }

  #addressOf(number: number): number {
    return this.#addresses[number] as number;
  }

  #find(key: string): number {
    this.#key.set(key);
    return this.#index.find(this.#key.hash);
  }

  #grow(): void {
    const before = this.#addresses;
    this.#addresses = new Uint32Array(2 * before.length);
    this.#addresses.set(before);
  }

  #replace(number: number, address: number): void {
    const before = this.#addressOf(number);
    this.#addresses[number] = address;
    this.#removed(before);
  }

  #removed(before: number): void {
    const slab = this.#slabs.remove(before);
    if (slab === undefined) return;
    for (const { address, keyAt, valueAt, end } of Slabs.entries(slab, before)) {
      const key = slab.bytes.subarray(keyAt, valueAt);
      const number = this.#numberAt(hashOf(key, 0, key.length), address);
      if (number < 0) continue;
      this.#addresses[number] = this.#slabs.add(key, key.length, slab.bytes.subarray(valueAt, end));
    }
  }

  /** Of the entry that lies at this address, or -1. */
  #numberAt(hash: number, address: number): number {
    const slot = this.#index.findWhere(hash, (number) => this.#addresses[number] === address);
    return slot < 0 ? -1 : this.#index.addressOf(slot);
  }
}
