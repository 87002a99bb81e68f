import type { SourceConfig } from "#topics";
import type { Source, SourceLookup } from "./write-key.ts";

/** Changes of the compacted source-config topic, as a table gives them. */
export interface SourceTable {
  entries(): IterableIterator<[string, SourceConfig]>;
  onChange(listener: (sourceId: string, config: SourceConfig | undefined) => void): () => void;
}

/** Finds a source by any of its write keys, always as the table has it. */
export function createSourceDirectory(table: SourceTable): SourceLookup {
  const byKey = new Map<string, Source>();
  const keysOf = new Map<string, readonly string[]>();

  function put(sourceId: string, config: SourceConfig | undefined): void {
    for (const key of keysOf.get(sourceId) ?? []) if (byKey.get(key)?.id === sourceId) byKey.delete(key);
    keysOf.delete(sourceId);
    if (config === undefined) return;
    keysOf.set(sourceId, config.writeKeys);
    for (const key of config.writeKeys) byKey.set(key, { id: sourceId, enabled: config.enabled });
  }

  table.onChange(put);
  for (const [sourceId, config] of table.entries()) put(sourceId, config);
  return { byWriteKey: (writeKey) => byKey.get(writeKey) };
}
