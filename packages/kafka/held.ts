import type { Seen } from "./tracker.ts";
import type { RawRecord, Received } from "./types.ts";

/** A fetched record on its way to its end. */
export interface Held<T> extends Seen {
  readonly record: RawRecord;
  /** Undefined until it is decoded. */
  received: Received<T> | undefined;
  /** Why it can never be decoded. */
  poison: Error | undefined;
}

export function hold<T>(record: RawRecord): Held<T> {
  return { offset: record.offset, isDone: false, record, received: undefined, poison: undefined };
}

/** Field by field, because a spread takes several times as long. */
export function received<T>(record: RawRecord, decoded: T): Received<T> {
  const { topic, partition, offset, key, value, timestampMs } = record;
  return { topic, partition, offset, key, value, timestampMs, decoded };
}
