import type { ComputationSet } from "#audiences";
import type { Host } from "#host";
import type { OutgoingRecord, Ownership, RawRecord } from "#kafka";
import type { PartitionStore } from "#state";
import type { ProcessorRecords } from "../records.ts";
import type { PartitionSizes } from "../sizes/partition-sizes.ts";
import type { TurnTime } from "../turn-time.ts";
import type { ProfileCodec } from "./codec.ts";
import type { ComputationOf } from "./outgoing.ts";
import type { ProfileTelemetry } from "./profile-telemetry.ts";

/** What is durable of one partition. */
export type WorkerStore = Pick<
  PartitionStore,
  "get" | "write" | "due" | "keys" | "count" | "reached" | "end"
>;

/** What the worker of one partition works with. */
export interface WorkerParts {
  readonly store: WorkerStore;
  /** How many are in each audience. */
  readonly sizes: Pick<PartitionSizes, "take" | "count" | "drop">;
  /** All events below it are settled, by the group's commit when the partition was taken. */
  readonly settledTo: number;
  /** Versions of profiles begin there. */
  readonly leastVersion: number;
  readonly ownership: Ownership;
  readonly codec: ProfileCodec;
  readonly records: ProcessorRecords;
  readonly computations: { readonly set: ComputationSet; readonly computationOf: ComputationOf };
  readonly telemetry: ProfileTelemetry;
  /** How much memory the partition's profiles may take by now. */
  roomBytes(): number;
  readonly host: Pick<Host, "now" | "setImmediate">;
  /** As that of `applyHappening`. */
  readonly noteEveryMs: number;
  /** Shared by all partitions. */
  readonly turnTime: TurnTime;
  /** Resolves when the records are acknowledged. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  /** Resolves when all is known that is configured by now. */
  refresh(): Promise<unknown>;
  /** What can neither be written nor waited for: the process should end. */
  onFailed(error: unknown): void;
  deadLetter(record: RawRecord, error: Error): OutgoingRecord;
}

/** What is there before the partition is restored. */
export type EarlyParts = Omit<
  WorkerParts,
  "store" | "sizes" | "settledTo" | "leastVersion" | "ownership" | "roomBytes"
>;
