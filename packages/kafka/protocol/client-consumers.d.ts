// The client's consumers, as far as they are patched; they ship without types.
declare module "kafkajs/src/consumer/batch.js" {
  import type kafkajs from "kafkajs";
  import type { FetchedPartition } from "kafkajs/src/protocol/requests/fetch/index.js";

  /** Leaves out control records, aborted transactions and what is before the offset asked for. */
  const Batch: new (topic: string, fetchedOffset: string, fetched: FetchedPartition) => kafkajs.Batch;
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Batch;
}

declare module "kafkajs/src/consumer/consumerGroup.js" {
  import type kafkajs from "kafkajs";

  export interface AssignedTopic {
    readonly topic: string;
    readonly partitions: readonly number[];
  }
  export interface ClientBatch {
    readonly topic: string;
    readonly rawMessages: readonly unknown[];
  }
  /** The partition of a fetch that was refused as out of range. */
  export interface OutOfRange {
    readonly topic: string;
    readonly partition: number;
  }
  /** A coordinator's answer about commits. */
  export interface FetchedOffsets {
    readonly responses: readonly {
      readonly topic: string;
      readonly partitions: readonly {
        readonly partition: number;
        /** "-1": nothing is committed. */
        readonly offset: string;
        readonly metadata: string | null;
      }[];
    }[];
  }
  /** A new one at every join. */
  export interface OffsetManagerInternals {
    readonly cluster: kafkajs.Cluster;
    readonly generationId: number;
    coordinator: kafkajs.Broker;
    getCoordinator(this: OffsetManagerInternals): Promise<{
      offsetFetch(request: object): Promise<FetchedOffsets>;
      offsetCommit(request: object): Promise<unknown>;
    }>;
    commitOffsets(offsets: kafkajs.OffsetsByTopicPartition): Promise<void>;
    /**
     * Offsets by topic and partition that were read or sent since the join. Before a join, and for unassigned
     * partitions, there are none.
     */
    committedOffsets(): {
      readonly [topic: string]: { readonly [partition: number]: string | undefined } | undefined;
    };
    /** 0 where none is known. */
    nextOffset(topic: string, partition: number): { toString(): string };
    seek(position: { topic: string; partition: number; offset: string }): Promise<void>;
  }
  export interface ConsumerGroupInternals {
    readonly cluster: kafkajs.Cluster;
    readonly groupId: string;
    /** Who was found at the join. */
    coordinator: kafkajs.Broker;
    readonly offsetManager: OffsetManagerInternals | null;
    readonly seekOffset: Map<string, unknown>;
    /** When the newest heartbeat was answered; before the first, when the group was made. Unix ms. */
    lastRequest: number;
    /** How long a broker may hold a fetch, and how long the client sleeps when it has nothing to ask for. */
    readonly maxWaitTime: number;
    connect(this: ConsumerGroupInternals): Promise<void>;
    joinAndSync(this: ConsumerGroupInternals): Promise<void>;
    recoverFromOffsetOutOfRange(this: ConsumerGroupInternals, outOfRange: OutOfRange): Promise<void>;
    fetch(this: ConsumerGroupInternals, nodeId: number): Promise<readonly ClientBatch[]>;
    /** Sends one when the last is longer ago than the interval, in milliseconds. */
    heartbeat(this: ConsumerGroupInternals, options: { readonly interval: number }): Promise<void>;
    filterPartitionsByNode(nodeId: number, assigned: readonly AssignedTopic[]): readonly AssignedTopic[];
    isPaused(topic: string, partition: number): boolean;
    /** The paused partitions among those assigned. */
    paused(): readonly AssignedTopic[];
    recoverFromFetch(error: unknown): Promise<void>;
  }
  const ConsumerGroup: { readonly prototype: ConsumerGroupInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default ConsumerGroup;
}

declare module "kafkajs/src/consumer/offsetManager/index.js" {
  import type { OffsetManagerInternals } from "kafkajs/src/consumer/consumerGroup.js";

  const OffsetManager: {
    /** `resolveOffsets` finds the places that are not known yet. */
    new (options: object): OffsetManagerInternals & { resolveOffsets(): Promise<void> };
    readonly prototype: OffsetManagerInternals;
  };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default OffsetManager;
}

declare module "kafkajs/src/consumer/runner.js" {
  import type { FetchManager } from "kafkajs/src/consumer/fetchManager.js";

  export interface RunnerInternals {
    readonly running: boolean;
    readonly fetchManager: Pick<FetchManager, "stop">;
    fetch(this: RunnerInternals, nodeId: number): Promise<readonly unknown[]>;
  }
  const Runner: { readonly prototype: RunnerInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Runner;
}

declare module "kafkajs/src/consumer/fetchManager.js" {
  export interface FetchManager {
    start(): Promise<void>;
    stop(): Promise<void>;
  }
  export interface FetchManagerOptions {
    readonly logger: { namespace(name: string): object };
    getNodeIds(): readonly number[];
    fetch(nodeId: number): Promise<readonly unknown[]>;
    handler(batch: unknown): Promise<void>;
  }
  const createFetchManager: (options: FetchManagerOptions) => FetchManager;
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default createFetchManager;
}
