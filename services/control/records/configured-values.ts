// Values of a configuration topic as bytes, with what lists of them need: a destination and its source by the million.
import type { TableValues } from "#kafka";
import { NumberedMap, NumberGroups, RecentMap, SortedNumbers } from "#packed";
import { type Serde, writerId } from "#serde";
import type { Topic } from "#topics";
import { byAge, type Listed } from "../http/pages.ts";
import { Ages } from "./ages.ts";
import type { ConfigName } from "./config-store.ts";
import type { Listing, RowsAsked } from "./listing.ts";
import type { Slices } from "./profiles/slices.ts";

/** A decoded destination takes a kilobyte: these take 10 MB. */
const MAX_DECODED = 10_000;
/** Of one turn of the event loop: two milliseconds. */
const ROWS_A_TURN = 500;

export interface ReadersOf<R extends ConfigName> {
  readonly serde: Pick<Serde, "decode" | "decodeFields">;
  readonly slices: Pick<Slices, "begin">;
  readonly topic: Topic<R>;
}

/** Of bytes that were decoded before: their schema is known. */
export function decodedNow<T>(decoded: T | Promise<T>): T {
  if (decoded instanceof Promise) throw new TypeError("a record is not decoded synchronously");
  return decoded;
}

type Decode<T> = (bytes: Buffer | null) => T | Promise<T>;

/** `told`, which waits until `row` knows the writer's schema too: `told` may know it already because of a record that came a moment before. */
export function toldWith<T>(told: Decode<T>, row: Decode<unknown>): Decode<T> {
  const known = new Set<number>();
  return (bytes) => {
    const decoded = told(bytes);
    if (bytes === null || known.has(writerId(bytes))) return decoded;
    const listed = row(bytes);
    if (decoded instanceof Promise || listed instanceof Promise)
      return Promise.all([decoded, listed]).then(([first]) => first);
    known.add(writerId(bytes));
    return decoded;
  };
}

/** What reads a record's bytes. */
export interface Readers<V extends L, L extends Listed, R> {
  whole(bytes: Buffer): V;
  /** What a change tells, which `groupsOf` looks at. */
  told(bytes: Buffer): L;
  row(bytes: Buffer): R;
  /** Texts by which `in` finds the value. */
  groupsOf(value: L): readonly string[];
}

/**
 * Decodes what is asked for. Beside the bytes an entry takes some eighty: its key, its place among the others by age, and eleven for each group
 * that it is in.
 */
export class ConfiguredValues<V extends L, L extends Listed, R> implements TableValues<V, L>, Listing<V, R> {
  readonly #read: Readers<V, L, R>;
  readonly #slices: Pick<Slices, "begin">;
  readonly #entries = new NumberedMap();
  readonly #ages = new Ages();
  readonly #groups = new NumberGroups();
  readonly #byAge = new SortedNumbers(
    (one, other) => this.#ages.compare(one, other) || this.#entries.compareKeys(one, other),
  );
  readonly #decoded = new RecentMap<V>(MAX_DECODED);

  constructor(read: Readers<V, L, R>, slices: Pick<Slices, "begin">) {
    this.#read = read;
    this.#slices = slices;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    const known = this.#decoded.get(key);
    if (known !== undefined) return known;
    const value = this.peek(key);
    if (value !== undefined) this.#decoded.set(key, value);
    return value;
  }

  peek(key: string): V | undefined {
    const number = this.#entries.numberOf(key);
    return number < 0 ? undefined : this.#read.whole(this.#entries.valueOf(number));
  }

  set(key: string, told: L, kept: Buffer): void {
    this.#forget(key);
    const number = this.#entries.set(key, kept);
    this.#ages.set(number, told.createdAtMs);
    this.#byAge.add(number);
    for (const group of this.#read.groupsOf(told)) this.#groups.add(group, number);
  }

  delete(key: string): void {
    this.#forget(key);
    this.#entries.delete(key);
  }

  *entries(): Generator<[string, V]> {
    for (const number of this.#byAge.behind(() => true, this.size)) {
      const key = this.#entries.keyOf(number);
      const value = this.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  placeOf(key: string): Listed | undefined {
    const number = this.#entries.numberOf(key);
    return number < 0 ? undefined : this.#placeOf(number);
  }

  in(group: string): V[] {
    return Array.from(this.#valuesIn(group)).sort(byAge);
  }

  *idsIn(group: string): Generator<string> {
    for (const number of this.#groups.of(group)) yield this.#entries.keyOf(number);
  }

  countIn(group: string): number {
    let count = 0;
    for (const _ of this.#groups.of(group)) count += 1;
    return count;
  }

  hasAny(group: string, accepts: (value: V) => boolean = () => true): boolean {
    for (const value of this.#valuesIn(group)) if (accepts(value)) return true;
    return false;
  }

  async *rows({
    after,
    isNewestFirst = false,
    atOnce = ROWS_A_TURN,
  }: RowsAsked = {}): AsyncGenerator<readonly (R & Listed)[]> {
    const pause = this.#slices.begin();
    for (let last = after; ; ) {
      await pause();
      const numbers = isNewestFirst ? this.#before(last, atOnce) : this.#behind(last, atOnce);
      const rows = numbers.map((number) => this.#rowOf(number));
      last = rows.at(-1);
      if (rows.length > 0) yield rows;
      if (numbers.length < atOnce) return;
    }
  }

  *#valuesIn(group: string): Generator<V> {
    for (const number of this.#groups.of(group)) {
      const value = this.get(this.#entries.keyOf(number));
      if (value !== undefined && this.#read.groupsOf(value).includes(group)) yield value;
    }
  }

  #rowOf(number: number): R & Listed {
    return { ...this.#read.row(this.#entries.valueOf(number)), ...this.#placeOf(number) };
  }

  #placeOf(number: number): Listed {
    return { id: this.#entries.keyOf(number), createdAtMs: this.#ages.of(number) };
  }

  #behind(place: Listed | undefined, count: number): number[] {
    if (place === undefined) return this.#byAge.behind(() => true, count);
    const compare = this.#comparing(place);
    return this.#byAge.behind((number) => compare(number) > 0, count);
  }

  #before(place: Listed | undefined, count: number): number[] {
    if (place === undefined) return this.#byAge.before(() => false, count);
    const compare = this.#comparing(place);
    return this.#byAge.before((number) => compare(number) >= 0, count);
  }

  /** The order of `#byAge`: of ids their bytes, in which a text of rare characters may stand elsewhere than among strings. */
  #comparing({ createdAtMs, id }: Listed): (number: number) => number {
    const bytes = Buffer.from(id);
    return (number) =>
      this.#ages.of(number) - createdAtMs || Buffer.from(this.#entries.keyOf(number)).compare(bytes);
  }

  /** Takes it out of the lists. */
  #forget(key: string): void {
    const number = this.#entries.numberOf(key);
    if (number < 0) return;
    this.#decoded.delete(key);
    this.#byAge.remove(number);
    for (const group of this.#read.groupsOf(this.#read.told(this.#entries.valueOf(number))))
      this.#groups.remove(group, number);
  }
}
