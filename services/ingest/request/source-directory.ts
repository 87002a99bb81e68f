import { PackedMap, RecentMap } from "#packed";
import type { SourceConfig } from "#topics";
import type { Source, SourceLookup } from "./write-key.ts";

/** What ingest looks at of a source; the rest of it never comes into its memory. */
export const INGEST_FIELDS = [
  "id",
  "enabled",
  "writeKeys",
] as const satisfies readonly (keyof SourceConfig)[];

type IngestSource = Pick<SourceConfig, (typeof INGEST_FIELDS)[number]>;

/** Changes of the compacted source-config topic, as a table gives them. */
export interface SourceTable {
  entries(): IterableIterator<[string, IngestSource]>;
  onChange(
    listener: (sourceId: string, config: IngestSource | undefined, before: IngestSource | undefined) => void,
  ): () => void;
}

/** Sources at hand: those of calls that come now. */
const MAX_AT_HAND = 20_000;
const ENABLED = "+";
const DISABLED = "-";
const NEWEST = "n";
const FORMER = "f";
/** Bytes of the two in front of the id. */
const MARKS = 2;

/** Finds a source by any of its write keys, always as the table has it. There may be a million, so they are held as bytes. */
export function createSourceDirectory(table: SourceTable): SourceLookup {
  /** Whether the source is enabled, whether the key is its newest one, and its id. */
  const byKey = new PackedMap();
  const atHand = new RecentMap<Source>(MAX_AT_HAND);

  function find(writeKey: string): Source | undefined {
    const packed = byKey.get(writeKey)?.toString();
    if (packed === undefined) return undefined;
    const source = { id: packed.slice(MARKS), enabled: packed.startsWith(ENABLED) };
    return packed[1] === FORMER ? { ...source, formerKey: writeKey } : source;
  }

  function put(sourceId: string, config: IngestSource | undefined, before: IngestSource | undefined): void {
    for (const key of before?.writeKeys ?? []) {
      atHand.delete(key);
      if (find(key)?.id === sourceId) byKey.delete(key);
    }
    for (const key of config?.writeKeys ?? []) {
      atHand.delete(key);
      const marks = `${config?.enabled === true ? ENABLED : DISABLED}${key === config?.writeKeys.at(-1) ? NEWEST : FORMER}`;
      byKey.set(key, Buffer.from(`${marks}${sourceId}`));
    }
  }

  table.onChange(put);
  for (const [sourceId, config] of table.entries()) put(sourceId, config, undefined);
  return {
    byWriteKey(writeKey) {
      const known = atHand.get(writeKey);
      if (known !== undefined) return known;
      const found = find(writeKey);
      if (found !== undefined) atHand.set(writeKey, found);
      return found;
    },
  };
}
