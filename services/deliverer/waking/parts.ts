import type { Host } from "#host";
import type { Hold, Ownership, PartitionOffsets, RawRecord, Step, TopicPartition } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DestinationState } from "../destinations.ts";
import type { WakeCursors } from "./cursors.ts";
import type { JobInHand, JobsInHand } from "./jobs-in-hand.ts";
import type { ReaderJobs } from "./reader-jobs.ts";
import type { OpenRequest } from "./retry-request.ts";
import type { Room } from "./room.ts";
import type { WriteParts } from "./write.ts";

/**
 * The jobs to wake, by endpoint: those whose last attempt failed before this time (Unix ms), and in any case
 * those that were not asked. Or by destination those that its retry requests mean (`REQUESTED`).
 */
export type Endpoints = ReadonlyMap<string, number>;

/** A time before all others: only what requests mean is woken. */
export const REQUESTED = Number.NEGATIVE_INFINITY;

export interface PassParts extends WriteParts {
  /** Names of the retry topics, longest delay first: the oldest jobs wait there. */
  readonly topics: readonly string[];
  readonly cursors: WakeCursors;
  readonly step: Step<DeliveryJob>;
  readonly room: Room;
  readonly readerJobs: Pick<ReaderJobs, "of" | "at" | "mayHaveTaken">;
  readonly jobsInHand: Pick<JobsInHand, "of">;
  /** The open requests for a destination's waiting calls. */
  readonly requests: { of(destinationId: string): readonly OpenRequest[] };
  readonly host: Pick<Host, "setTimeout" | "delay" | "elapsed">;
  readonly nowMs: () => number;
  decode(record: RawRecord): DeliveryJob | Promise<DeliveryJob>;
  /**
   * The next offset that this process reads; undefined when the partition is another's, or nothing of it has
   * been read yet.
   */
  position(partition: TopicPartition): number | undefined;
  /** An earlier owner of the partition has done it, and no reader comes to it again. */
  wasDone(record: RawRecord): boolean;
  /** Work on a job begins, which a stop waits for; the returned function ends it, once. */
  takenEarly(partition: TopicPartition): () => void;
  /**
   * Notes that the record's outcome is durable: the group's commits say so from now on, and its reader passes
   * it over.
   */
  doneEarly(record: RawRecord): void;
  ownership(partition: TopicPartition): Ownership & Hold;
  offsets(topic: string): Promise<readonly PartitionOffsets[]>;
  /** The offsets that the group has committed, by partition. */
  committed(topic: string): Promise<ReadonlyMap<number, number>>;
  readRange(range: WakeRange): Promise<void>;
  destination(destinationId: string): DestinationState;
}

export interface WakeRange extends TopicPartition {
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly signal: AbortSignal;
  onRecord(record: RawRecord): void | Promise<void>;
}

/**
 * The knowledge from before the look at the partitions' ends: a request that comes later has not seen what
 * stands behind these ends.
 */
export interface Look {
  readonly beganAtMs: number;
  /** Requests by destination. */
  readonly requests: ReadonlyMap<string, readonly OpenRequest[]>;
  /** Jobs in hand by destination that has requests. */
  readonly inHand: ReadonlyMap<string, ReadonlySet<JobInHand>>;
}

export interface PassResult {
  readonly taken: number;
  /** Those of the taken that went back to a retry topic or to the dead letters. */
  readonly returned: number;
  /** Some stay because their destinations' own limits had no turn for them just then. */
  readonly isPutOff: boolean;
}
