import type { TableValues } from "#kafka";
import { NumberedMap, NumberIndex, RecentMap } from "#packed";
import type { SourceConfig } from "#topics";
import type { Source, SourceLookup } from "./write-key.ts";

/** What ingest looks at of a source beside its id; the rest of it never comes into its memory. */
export const INGEST_FIELDS = ["enabled", "writeKeys"] as const satisfies readonly (keyof SourceConfig)[];

export type IngestSource = Pick<SourceConfig, (typeof INGEST_FIELDS)[number]>;

/** Sources at hand: those of calls that come now. */
const MAX_AT_HAND = 20_000;

/**
 * The values of the table of sources, each found by any of its write keys too. There may be a million: a source takes its bytes, its
 * place among the others, and some sixteen bytes for each key.
 */
export class SourceDirectory implements TableValues<IngestSource, IngestSource>, SourceLookup {
  readonly #read: (kept: Buffer) => IngestSource;
  readonly #sources = new NumberedMap();
  readonly #byKey = new NumberIndex((number, key) => this.#at(number).writeKeys.includes(key));
  readonly #atHand = new RecentMap<Source>(MAX_AT_HAND);

  /** `read` reads what `set` is given to keep. */
  constructor(read: (kept: Buffer) => IngestSource) {
    this.#read = read;
  }

  get size(): number {
    return this.#sources.size;
  }

  get(sourceId: string): IngestSource | undefined {
    const number = this.#sources.numberOf(sourceId);
    return number < 0 ? undefined : this.#at(number);
  }

  /** A key that another source had is this one's from now on. */
  set(sourceId: string, { writeKeys }: IngestSource, kept: Buffer): void {
    this.#forgetKeys(sourceId);
    const number = this.#sources.set(sourceId, kept);
    for (const key of writeKeys) {
      this.#atHand.delete(key);
      this.#byKey.set(key, number);
    }
  }

  delete(sourceId: string): void {
    this.#forgetKeys(sourceId);
    this.#sources.delete(sourceId);
  }

  *entries(): Generator<[string, IngestSource]> {
    for (const sourceId of this.#sources.keys()) {
      const source = this.get(sourceId);
      // It may have gone while the caller was at another one.
      if (source !== undefined) yield [sourceId, source];
    }
  }

  byWriteKey(writeKey: string): Source | undefined {
    const known = this.#atHand.get(writeKey);
    if (known !== undefined) return known;
    const number = this.#byKey.find(writeKey);
    if (number < 0) return undefined;
    const { enabled, writeKeys } = this.#at(number);
    const source = { id: this.#sources.keyOf(number), enabled };
    const found = writeKey === writeKeys.at(-1) ? source : { ...source, formerKey: writeKey };
    this.#atHand.set(writeKey, found);
    return found;
  }

  #at(number: number): IngestSource {
    return this.#read(this.#sources.valueOf(number));
  }

  #forgetKeys(sourceId: string): void {
    const number = this.#sources.numberOf(sourceId);
    if (number < 0) return;
    for (const key of this.#at(number).writeKeys) {
      this.#atHand.delete(key);
      this.#byKey.remove(key, number);
    }
  }
}
