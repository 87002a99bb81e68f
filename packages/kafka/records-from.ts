import type { RawRecord } from "./types.ts";

/** Selects the records from the offset on: a broker answers with whole batches. */
export function recordsFrom(records: readonly RawRecord[], offset: number): readonly RawRecord[] {
  const [oldest] = records;
  return oldest === undefined || oldest.offset >= offset
    ? records
    : records.filter((record) => record.offset >= offset);
}
