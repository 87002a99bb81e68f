import type { RecordTypes } from "./records.generated.ts";

/** Name of a record: a schema file in schemas/ without its `.avsc`. */
export type RecordName = keyof RecordTypes;

export type ServiceName = "ingest" | "webhook-router" | "deliverer" | "audience-processor" | "control";

/** What happens to old records. Compacted topics keep their tombstones for seven days, the longest a table may be away. */
export type Cleanup =
  | { readonly policy: "delete"; readonly retentionMs: number }
  | { readonly policy: "compact" };

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

/** A topic in which jobs wait for one fixed time, so that each partition is first in, first out by due time. */
export interface RetryTopic extends Topic<"delivery-job"> {
  readonly delayMs: number;
}

/** Every topic of one deployment: nothing else in the code names a topic. */
export interface TopicMap {
  readonly calls: Topic<"call">;
  readonly sourceConfig: Topic<"source-config">;
  readonly destinationConfig: Topic<"destination-config">;
  readonly deliveryJobs: Topic<"delivery-job">;
  /** Shortest delay first. */
  readonly deliveryRetries: readonly RetryTopic[];
  readonly deadLetters: Topic<"dead-letter">;
}

export interface TopicMapOptions {
  /** Put before every name, so that several deployments or tests can share a cluster; "" for none. */
  readonly prefix: string;
  /** Delays of the retry topics in milliseconds, shortest first, each once (contract 3.5). */
  readonly retryDelaysMs: readonly number[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** "10s", "5m", "2h", "250ms": the shortest exact way to write a delay. */
function delayLabel(delayMs: number): string {
  if (delayMs % HOUR_MS === 0) return `${delayMs / HOUR_MS}h`;
  if (delayMs % 60_000 === 0) return `${delayMs / 60_000}m`;
  return delayMs % 1000 === 0 ? `${delayMs / 1000}s` : `${delayMs}ms`;
}

/** Builds the map for one deployment. */
export function topicMap({ prefix, retryDelaysMs }: TopicMapOptions): TopicMap {
  const compact: Cleanup = { policy: "compact" };
  return {
    calls: {
      name: `${prefix}calls`,
      key: "sourceId:userId, or sourceId:anonymousId",
      record: "call",
      cleanup: { policy: "delete", retentionMs: 3 * DAY_MS },
      writtenBy: ["ingest"],
      readBy: ["webhook-router"],
    },
    sourceConfig: {
      name: `${prefix}source-config`,
      key: "sourceId",
      record: "source-config",
      cleanup: compact,
      writtenBy: ["control"],
      readBy: ["ingest", "control"],
    },
    destinationConfig: {
      name: `${prefix}destination-config`,
      key: "destinationId",
      record: "destination-config",
      cleanup: compact,
      writtenBy: ["control"],
      readBy: ["webhook-router", "deliverer", "control"],
    },
    deliveryJobs: {
      name: `${prefix}delivery-jobs`,
      key: "destinationId:shard",
      record: "delivery-job",
      cleanup: { policy: "delete", retentionMs: DAY_MS },
      writtenBy: ["webhook-router"],
      readBy: ["deliverer"],
    },
    deliveryRetries: retryDelaysMs.map((delayMs) => ({
      name: `${prefix}delivery-retry-${delayLabel(delayMs)}`,
      key: "destinationId:shard",
      record: "delivery-job",
      cleanup: { policy: "delete", retentionMs: DAY_MS },
      writtenBy: ["deliverer"],
      readBy: ["deliverer"],
      delayMs,
    })),
    deadLetters: {
      name: `${prefix}dead-letters`,
      key: "destinationId, or none for a record that could not be read",
      record: "dead-letter",
      cleanup: { policy: "delete", retentionMs: 14 * DAY_MS },
      writtenBy: ["webhook-router", "deliverer"],
      readBy: [],
    },
  };
}

/** Every topic of the map, flat. */
export function allTopics(map: TopicMap): Topic[] {
  const { deliveryRetries, ...single } = map;
  return [...Object.values(single), ...deliveryRetries];
}
