import type { ServiceName } from "#contract";
import type { RecordTypes } from "./records.generated.ts";

/** Name of a record: a schema file in schemas/ without its `.avsc`. */
export type RecordName = keyof RecordTypes;

/** What happens to old records. How long is in retention.ts. */
export type Cleanup =
  | { readonly policy: "delete"; readonly retentionMs: number }
  | {
      readonly policy: "compact";
      /** For so long no record is removed; at once where nothing is said. */
      readonly minCompactionLagMs?: number;
    };

/** One topic of the map. `R` is the record that its values hold. */
export interface Topic<R extends RecordName = RecordName> {
  /** Full name, with the deployment's prefix. */
  readonly name: string;
  /** What the key is made of, for people. */
  readonly key: string;
  readonly record: R;
  readonly cleanup: Cleanup;
  readonly writtenBy: readonly ServiceName[];
  readonly readBy: readonly ServiceName[];
}

/** The topic itself, typed by its record. */
export const topic = <R extends RecordName>(of: Topic<R>): Topic<R> => of;

export const COMPACT: Cleanup = { policy: "compact" };

export const keptFor = (retentionMs: number): Cleanup => ({ policy: "delete", retentionMs });
