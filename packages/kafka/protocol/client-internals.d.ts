// The inner modules of the client that are patched; they ship without types.
declare module "kafkajs/src/network/requestQueue/index.js" {
  export interface RequestQueueInternals {
    pending: readonly unknown[];
    /** By the time that has elapsed (request-queue-patch.ts). */
    throttledUntil: number;
    readonly maxInFlightRequests: number | null;
    throttleCheckTimeoutId: NodeJS.Timeout | null;
    requestTimeoutIntervalId: NodeJS.Timeout | undefined;
    readonly enforceRequestTimeout: boolean;
    readonly requestTimeout: number;
    readonly inflight: ReadonlyMap<
      number,
      {
        readonly entry: { readonly apiKey: number };
        sentAt: number;
        readonly requestTimeout: number;
        timeoutRequest(): void;
      }
    >;
    isConnected(): boolean;
    /** Clears its timers. */
    destroy(): void;
    scheduleRequestTimeoutCheck(): void;
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
    /** A broker's answer asks to be left alone for so long. */
    maybeThrottle(this: RequestQueueInternals, forMs: number | null): void;
    canSendSocketRequestImmediately(this: RequestQueueInternals): boolean;
  }
  const RequestQueue: { readonly prototype: RequestQueueInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default RequestQueue;
}

declare module "kafkajs/src/network/connection.js" {
  import type { ConnectionInternals } from "kafkajs/src/cluster/index.js";

  export interface ClientConnection extends ConnectionInternals {
    readonly host: string;
    readonly port: number;
    send(this: ClientConnection, exchange: object): Promise<unknown>;
  }
  const Connection: { readonly prototype: ClientConnection };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Connection;
}

declare module "kafkajs/src/network/connectionPool.js" {
  import type { ConnectionInternals } from "kafkajs/src/cluster/index.js";

  /** The connections to one broker: one for fetches, one for all else. */
  export interface BrokerConnections {
    readonly pool: readonly ConnectionInternals[];
    send(this: BrokerConnections, exchange: object): Promise<unknown>;
  }
  const ConnectionPool: { readonly prototype: BrokerConnections };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default ConnectionPool;
}

declare module "kafkajs/src/broker/index.js" {
  export interface BrokerInternals {
    readonly brokerAddress: string;
    /** Connects and logs in. */
    connect(this: BrokerInternals): Promise<void>;
  }
  const Broker: { readonly prototype: BrokerInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Broker;
}

declare module "kafkajs/src/errors.js" {
  const errors: {
    readonly KafkaJSConnectionError: new (
      message: string,
      of: { readonly broker: string; readonly code: unknown },
    ) => Error;
    readonly KafkaJSRequestTimeoutError: new (message: string) => Error;
    readonly KafkaJSConnectionClosedError: new (
      message: string,
      of: { readonly host: string; readonly port: number },
    ) => Error;
  };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default errors;
}

declare module "kafkajs/src/cluster/brokerPool.js" {
  import type { BrokerConnections } from "kafkajs/src/network/connectionPool.js";

  export interface ClientMetadata {
    readonly topicMetadata: readonly {
      readonly topic: string;
      readonly partitionMetadata: readonly { readonly leader: number; readonly partitionErrorCode: number }[];
    }[];
  }
  interface PooledBroker {
    readonly connectionPool: Pick<BrokerConnections, "pool">;
    isConnected(): boolean;
  }
  export interface BrokerPoolInternals {
    readonly brokers: Readonly<Record<string, PooledBroker>>;
    /** One to ask what all of them know. */
    findConnectedBroker(this: BrokerPoolInternals): Promise<PooledBroker>;
    readonly metadata: ClientMetadata | null;
    /** Asks where what is known is too old, or lacks one of these topics. */
    refreshMetadataIfNecessary(topics: readonly string[]): Promise<void>;
  }
  const BrokerPool: {
    new (options: { readonly connectionPoolBuilder: object; readonly logger: object }): BrokerPoolInternals;
    readonly prototype: BrokerPoolInternals;
  };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default BrokerPool;
}

declare module "kafkajs/src/cluster/index.js" {
  import type { BrokerPoolInternals, ClientMetadata } from "kafkajs/src/cluster/brokerPool.js";

  export interface ConnectionInternals {
    readonly requestQueue: { readonly inflight: { readonly size: number } };
    /** Undefined before it was opened. */
    readonly socket?: { destroy(): void };
    isConnected(): boolean;
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
      readonly brokers: BrokerPoolInternals["brokers"];
    };
  }
  const Cluster: { readonly prototype: ClusterInternals };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Cluster;
}

declare module "kafkajs/src/protocol/requests/metadata/index.js" {
  import type { ClientMetadata } from "kafkajs/src/cluster/brokerPool.js";

  export type MetadataVersion = (asked: { readonly topics: readonly string[] }) => {
    readonly request: object;
    readonly response: { parse(data: ClientMetadata): Promise<ClientMetadata> };
  };
  const Metadata: { protocol(choice: { version: number }): MetadataVersion };
  // biome-ignore lint/style/noDefaultExport: it describes a CommonJS module.
  export default Metadata;
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
