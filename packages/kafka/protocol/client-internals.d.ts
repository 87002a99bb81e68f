// The inner modules of the client that are patched; they ship without types.
declare module "kafkajs/src/network/requestQueue/index.js" {
  export interface RequestQueueInternals {
    pending: readonly unknown[];
    throttledUntil: number;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    push(request: {
      readonly entry: { readonly apiKey: number; readonly correlationId: number };
      readonly expectResponse: boolean;
      sendRequest(): void;
    }): void;
    checkPendingRequests(): void;
    /** Writes it to the socket. */
    sendSocketRequest(
      this: RequestQueueInternals,
      request: { readonly entry: { readonly apiKey: number } },
    ): void;
    scheduleCheckPendingRequests(): void;
  }
  const RequestQueue: { readonly prototype: RequestQueueInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default RequestQueue;
}

declare module "kafkajs/src/cluster/brokerPool.js" {
  export interface ClientMetadata {
    readonly topicMetadata: readonly { readonly topic: string }[];
  }
  interface BrokerPoolInternals {
    /** Asks where what is known is too old, or lacks one of these topics. */
    refreshMetadataIfNecessary(topics: readonly string[]): Promise<void>;
  }
  const BrokerPool: {
    new (options: { readonly connectionPoolBuilder: object; readonly logger: object }): BrokerPoolInternals;
    readonly prototype: object;
  };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default BrokerPool;
}

declare module "kafkajs/src/cluster/index.js" {
  import type { ClientMetadata } from "kafkajs/src/cluster/brokerPool.js";

  export interface ConnectionInternals {
    readonly requestQueue: { readonly inflight: { readonly size: number } };
    /** Undefined before it was opened. */
    readonly socket?: { destroy(): void };
    rejectRequests(error: Error): void;
    disconnect(): Promise<unknown>;
  }
  export interface ClusterInternals {
    /** Reads the metadata of all topics unless some are named. */
    metadata(
      this: ClusterInternals,
      asked?: { readonly topics?: readonly string[] },
    ): Promise<ClientMetadata>;
    readonly brokerPool: {
      readonly metadata: ClientMetadata | null;
      refreshMetadata(topics: readonly string[]): Promise<void>;
      readonly brokers: Readonly<
        Record<string, { readonly connectionPool: { readonly pool: readonly ConnectionInternals[] } }>
      >;
    };
  }
  const Cluster: { readonly prototype: ClusterInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Cluster;
}

declare module "kafkajs/src/protocol/requests/produce/index.js" {
  export interface ProduceArguments {
    readonly acks: number;
    readonly timeout: number;
    readonly topicData: readonly {
      readonly topic: string;
      readonly partitions: readonly { readonly partition: number; readonly messages: readonly unknown[] }[];
    }[];
  }
  export interface ProduceResponse {
    readonly topics: readonly {
      readonly topicName: string;
      readonly partitions: readonly { readonly partition: number; readonly errorCode: number }[];
    }[];
  }
  export interface ProduceExchange {
    readonly request: { encode(): Promise<unknown> };
    readonly response: {
      decode(raw: Buffer): Promise<ProduceResponse>;
      parse(data: ProduceResponse): Promise<ProduceResponse>;
    };
  }
  export type ProduceVersion = (produce: ProduceArguments) => ProduceExchange;
  const Produce: { protocol(choice: { version: number }): ProduceVersion };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Produce;
}

declare module "kafkajs/src/protocol/error.js" {
  const errors: { createErrorFromCode(code: number): Error };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default errors;
}

declare module "kafkajs/src/protocol/requests/fetch/index.js" {
  export interface FetchedPartition {
    readonly partition: number;
    readonly errorCode: number;
    readonly highWatermark: string;
    readonly lastStableOffset: string;
    readonly lastStartOffset: string;
    readonly abortedTransactions: readonly unknown[];
    readonly preferredReadReplica: number;
    readonly messages: readonly unknown[];
  }
  export interface FetchResponse {
    readonly throttleTime: number;
    readonly clientSideThrottleTime: number;
    readonly errorCode: number;
    readonly sessionId: number;
    readonly responses: readonly {
      readonly topicName: string;
      readonly partitions: readonly FetchedPartition[];
    }[];
  }
  export type FetchVersion = (fetch: object) => {
    readonly request: object;
    readonly response: {
      decode(raw: Buffer): Promise<FetchResponse>;
      parse(data: FetchResponse): Promise<FetchResponse>;
    };
  };
  const Fetch: { protocol(choice: { version: number }): FetchVersion };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Fetch;
}

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
    getCoordinator(this: OffsetManagerInternals): Promise<{
      offsetFetch(request: object): Promise<FetchedOffsets>;
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
    readonly offsetManager: OffsetManagerInternals | null;
    readonly seekOffset: Map<string, unknown>;
    /** When the newest heartbeat was answered; before the first, when the group was made. Unix ms. */
    readonly lastRequest: number;
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

  const OffsetManager: { readonly prototype: OffsetManagerInternals };
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
