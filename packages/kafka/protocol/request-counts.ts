// Counts of what this process has sent to brokers since it started. They are the process's: a connection of
// the client does not know whose it is.

/** APIs under Kafka's names. All others are rare, and counted as "other". */
export const KAFKA_APIS = [
  "Produce",
  "Fetch",
  "ListOffsets",
  "Metadata",
  "OffsetCommit",
  "OffsetFetch",
  "FindCoordinator",
  "JoinGroup",
  "Heartbeat",
  "LeaveGroup",
  "SyncGroup",
  "ApiVersions",
  "InitProducerId",
  "DescribeConfigs",
  "other",
] as const;

export type KafkaApi = (typeof KAFKA_APIS)[number];

/** https://kafka.apache.org/protocol#protocol_api_keys */
export const API_KEYS: Readonly<Record<Exclude<KafkaApi, "other">, number>> = {
  Produce: 0,
  Fetch: 1,
  ListOffsets: 2,
  Metadata: 3,
  OffsetCommit: 8,
  OffsetFetch: 9,
  FindCoordinator: 10,
  JoinGroup: 11,
  Heartbeat: 12,
  LeaveGroup: 13,
  SyncGroup: 14,
  ApiVersions: 18,
  InitProducerId: 22,
  DescribeConfigs: 32,
};

/** The amount written to one topic. */
export interface Produced {
  /** Produce requests that carried records of the topic. One that carries several topics counts for each. */
  readonly requests: number;
  /** Records in them, those of repeated tries too. */
  readonly records: number;
}

/** More than the client has. */
const MOST_KEYS = 128;

let requests: Float64Array = new Float64Array(MOST_KEYS);
/** Of each thread that counts for this one. */
const threads: Float64Array[] = [];
const produced = new Map<string, { requests: number; records: number }>();

/** Counts a request that is written to a socket. */
export function countRequest(apiKey: number): void {
  requests[apiKey] = (requests[apiKey] ?? 0) + 1;
}

/** Memory for a thread's counts, which this one has among its own from now on. */
export function countsOfThread(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(MOST_KEYS * Float64Array.BYTES_PER_ELEMENT);
  threads.push(new Float64Array(memory));
  return memory;
}

/** In such a thread, before it sends anything. */
export function countInto(memory: SharedArrayBuffer): void {
  requests = new Float64Array(memory);
}

/** Counts what one produce request carries of one topic. */
export function countProduced(topic: string, records: number): void {
  let ofTopic = produced.get(topic);
  if (ofTopic === undefined) {
    ofTopic = { requests: 0, records: 0 };
    produced.set(topic, ofTopic);
  }
  ofTopic.requests += 1;
  ofTopic.records += records;
}

/** Requests to brokers, of all clients of this process. */
export function requestsSent(api: KafkaApi): number {
  const sent = (key: number): number =>
    threads.reduce((sum, counts) => sum + (counts[key] ?? 0), requests[key] ?? 0);
  if (api !== "other") return sent(API_KEYS[api]);
  const known = Object.values(API_KEYS).reduce((sum, key) => sum + sent(key), 0);
  return requests.reduce((sum, _, key) => sum + sent(key), 0) - known;
}

/** The amount that all producers of this process have written to the topic. */
export function producedTo(topic: string): Produced {
  return produced.get(topic) ?? { requests: 0, records: 0 };
}
