// What the partitions of profiles are opened with.
import type { OutgoingRecord, Ownership } from "#kafka";
import type { PartitionStore, StoreOptions } from "#state";
import type { Taken } from "../sizes/sizes.ts";
import type { TurnTime } from "../turn-time.ts";
import type { PartitionWorker } from "./partition-worker.ts";
import type { EarlyParts, WorkerParts, WorkerStore } from "./worker-parts.ts";

/** Works beside the events of one partition. */
export interface Companion {
  advance(): void;
}

export type OwnStore = WorkerStore & Pick<PartitionStore, "own" | "refresh" | "flush" | "close">;

type WorkOn = (parts: EarlyParts) => PartitionWorker;

export interface ProfilePartitionsOptions {
  /** Folder of all stores of this topic. */
  readonly directory: string;
  openStore(options: StoreOptions): Promise<OwnStore>;
  readonly store: Omit<StoreOptions, "directory" | "partition" | "onProgress" | "signal">;
  /** How much memory the profiles of all partitions may take. */
  readonly roomBytes: number;
  /** Resolves when all is known that a partition's work begins with. */
  prepare(): Promise<unknown>;
  /** Resolves when it is known what a former owner has counted. */
  openSizes(taken: Taken): Promise<WorkerParts["sizes"]>;
  /** Begins the work on a partition: `workOn` makes its worker. The signal is aborted when the partition is lost. */
  begin(partition: number, signal: AbortSignal, workOn: WorkOn): Companion;
  /** Of the changelog. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  ownership(partition: number): Ownership;
  /** Of the group, by now. */
  generation(): number;
  /** First offset that was not given to a step; undefined before the first records of this term. */
  position(partition: number): number | undefined;
  /** What the group has committed of the partition, which was assigned already: nobody else commits it any more. */
  committed(partition: number): Promise<number>;
  /** A partition is open, so long after its turn came to be restored. */
  onRestored(tookMs: number): void;
  onRevoked(partition: number): void;
  /** Shared by all partitions. */
  readonly turnTime: TurnTime;
  onFailed(error: unknown): void;
}
