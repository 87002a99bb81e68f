import type { Host } from "#host";
import type { Ownership, PartitionOffsets, RawRecord, Step, TopicPartition } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DestinationState } from "../destinations.ts";
import type { WakeCursors } from "./cursors.ts";
import type { ReaderJobs } from "./reader-jobs.ts";
import type { Room } from "./room.ts";
import type { WriteParts } from "./write.ts";

/**
 * What is woken, by endpoint, or by destination where somebody asked for one: whose last attempt failed before this time (Unix ms), and in
 * any case what was not asked.
 */
export type Endpoints = ReadonlyMap<string, number>;

export interface PassParts extends WriteParts {
  /** Names of the retry topics, longest delay first: the oldest jobs wait there. */
  readonly topics: readonly string[];
  readonly cursors: WakeCursors;
  readonly step: Step<DeliveryJob>;
  readonly room: Room;
  readonly readerJobs: Pick<ReaderJobs, "of" | "at" | "mayHaveTaken">;
  readonly host: Pick<Host, "setTimeout" | "delay">;
  readonly nowMs: () => number;
  decode(record: RawRecord): DeliveryJob | Promise<DeliveryJob>;
  /** What this process reads now; undefined when it is another's. */
  position(partition: TopicPartition): number | undefined;
  ownership(partition: TopicPartition): Ownership;
  offsets(topic: string): Promise<readonly PartitionOffsets[]>;
  readRange(range: WakeRange): Promise<void>;
  destination(destinationId: string): DestinationState;
}

export interface WakeRange extends TopicPartition {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly signal: AbortSignal;
  onRecord(record: RawRecord): void | Promise<void>;
}

export interface PassResult {
  readonly taken: number;
  /** Of those, how many went back to a retry topic or to the dead letters. */
  readonly returned: number;
}
