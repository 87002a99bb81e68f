// What the store of a partition is given.
import type { Admin, Kafka, OutgoingRecord, RawRecord } from "#kafka";
import type { EntryFacts } from "./entry.ts";

export interface StoreOptions {
  /** Folder of this one partition; made when it is missing. Losing it costs a restore, nothing else. */
  readonly directory: string;
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  /** The changelog. */
  readonly topic: string;
  readonly partition: number;
  /** Reads of a value what the store has to know; a promise while the writer's schema is not known yet. */
  describe(value: Buffer): EntryFacts | Promise<EntryFacts>;
  now(): number;
  /** Called when the files could not be read, or are another topic's, and everything is restored. */
  onDiscarded(error: unknown): void;
  /** Called with a record of the changelog that can never be read; it changes nothing. */
  onPoison(record: RawRecord, error: unknown): void;
  /** Called while the changelog is read: records done, and how many there are at most. */
  onProgress?(done: number, total: number): void;
  /** Ends the restore: opening rejects then. */
  readonly signal?: AbortSignal;
}

/** The way in which an owner writes. A store without it follows the changelog. */
export interface StoreOwner {
  /** Resolves when the records are acknowledged. A rejection ends the store: what is in the changelog then is not known. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  /** Whether the partition is still ours: nothing is written when it is not. */
  readonly isOurs: boolean;
}
