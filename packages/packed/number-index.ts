import { AddressIndex } from "./address-index.ts";
import { KeyBytes } from "./key-bytes.ts";

/** Numbers by texts that lead to them, a text to one number, in some sixteen bytes each: of a text its hash alone is kept. */
export class NumberIndex {
  readonly #key = new KeyBytes();
  readonly #isOf: (number: number, text: string) => boolean;
  #text = "";
  readonly #index = new AddressIndex((number) => this.#isOf(number, this.#text));

  /** `isOf` tells whether the text is one of the number's; asked where the hashes are the same. */
  constructor(isOf: (number: number, text: string) => boolean) {
    this.#isOf = isOf;
  }

  /** The number that `isOf` takes, or -1. */
  find(text: string): number {
    const slot = this.#find(text);
    return slot < 0 ? -1 : this.#index.addressOf(slot);
  }

  /** Takes the text from another number that has it. A number has a place for each of its texts, also where their hashes are the same. */
  set(text: string, number: number): void {
    const slot = this.#find(text);
    if (slot < 0 || this.#index.addressOf(slot) === number) this.#index.add(this.#key.hash, number);
    else this.#index.replace(slot, number);
  }

  /** Nothing where another number has taken the text. */
  remove(text: string, number: number): void {
    this.#key.set(text);
    const slot = this.#index.findAt(this.#key.hash, number);
    if (slot >= 0) this.#index.remove(slot);
  }

  #find(text: string): number {
    this.#key.set(text);
    this.#text = text;
    return this.#index.find(this.#key.hash);
  }
}
