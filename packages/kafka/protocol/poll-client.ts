import type kafkajs from "kafkajs";
import type { ConnectionInternals } from "kafkajs/src/cluster/index.js";
import Batch from "kafkajs/src/consumer/batch.js";
import kafkajsErrors from "kafkajs/src/protocol/error.js";
import Fetch, {
  type FetchedPartition,
  type FetchResponse,
} from "kafkajs/src/protocol/requests/fetch/index.js";
import type { Host } from "#host";
import type { PollClient, Polled, PollWait, Wanted } from "../cluster.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import { connectCluster } from "./client-brokers.ts";
import { closeWaiting } from "./fetch-connections.ts";
import { recordsOf } from "./fetched-records.ts";
import { ReplaceableConnection } from "./replaceable-connection.ts";

const FETCH_KEY = 1;
const SUCCESS = 0;
const OFFSET_OUT_OF_RANGE = 1;
/** The replica id of a consumer. */
const NO_REPLICA = -1;
const READ_COMMITTED = 1;
/**
 * A single larger batch comes all the same. All of an answer is decoded in one turn of the event loop, and its records are in memory until the
 * last one is read: of four times as much a table of a million took 60 MiB more, and turns of 50 to 150 ms.
 */
const MAX_BYTES = { partition: 128 * 1024, total: 1024 * 1024 };

/** The client's broker, as far as its own `fetch` uses it: that one throws away a whole answer when one partition is refused. */
interface Broker {
  readonly lookupRequest: (apiKey: number, requests: typeof Fetch) => ReturnType<typeof Fetch.protocol>;
  readonly connectionPool: {
    getConnectionByRequest(about: { readonly request: object }): Promise<Connection>;
  };
}

interface Connection extends ConnectionInternals {
  send(exchange: { readonly request: object; readonly response: object }): Promise<FetchResponse>;
}

export function createPollClient(client: kafkajs.Kafka, host: Host): PollClient {
  const connection = new ReplaceableConnection<kafkajs.Cluster>({
    name: "the poll client",
    open: () => connectCluster(client),
    close: (cluster) => cluster.disconnect(),
  });
  /** Connections on which a request waits now. */
  const waiting = new Set<Connection>();
  return {
    leaders: (topic) =>
      connection.use(async (cluster) => {
        await cluster.addTargetTopic(topic);
        return leadersOf(cluster, topic);
      }),
    poll: (broker, wanted, wait) =>
      connection.use(async (cluster) => {
        const found = (await cluster.findBroker({ nodeId: String(broker) })) as unknown as Broker;
        return poll(found, wanted, { wait, waiting });
      }),
    renew: () => connection.check((cluster) => cluster.refreshMetadata()),
    close() {
      const closing = connection.close(host);
      const closed = new KafkaError("closed", "the poll client is closed", { canRetry: false });
      // The client waits for what is under way before it lets a connection go.
      for (const each of waiting) each.rejectRequests(closed);
      return closing;
    },
  };
}

function leadersOf(cluster: kafkajs.Cluster, topic: string): number[] {
  const leaders: number[] = [];
  for (const { partitionId, leader } of cluster.findTopicPartitionMetadata(topic))
    leaders[partitionId] = leader;
  return leaders;
}

async function poll(
  broker: Broker,
  wanted: readonly Wanted[],
  { wait, waiting }: { readonly wait: PollWait; readonly waiting: Set<Connection> },
): Promise<Polled[]> {
  const { maxMs, signal } = wait;
  const { request, response } = broker.lookupRequest(
    FETCH_KEY,
    Fetch,
  )({
    replicaId: NO_REPLICA,
    isolationLevel: READ_COMMITTED,
    maxWaitTime: maxMs,
    minBytes: 1,
    maxBytes: MAX_BYTES.total,
    topics: byTopic(wanted),
  });
  const connection = await broker.connectionPool.getConnectionByRequest({ request });
  // A broker reads nothing more from a connection on which a fetch waits.
  const end = (): void =>
    closeWaiting(connection, new KafkaError("closed", "the poll was ended", { canRetry: true }));
  waiting.add(connection);
  signal?.addEventListener("abort", end);
  try {
    if (signal?.aborted === true) return [];
    const parse = async (data: FetchResponse): Promise<FetchResponse> => data;
    return polledIn(await connection.send({ request, response: { ...response, parse } }), wanted);
  } catch (thrown) {
    if (signal?.aborted === true) return [];
    throw thrown;
  } finally {
    signal?.removeEventListener("abort", end);
    waiting.delete(connection);
  }
}

function byTopic(wanted: readonly Wanted[]): object[] {
  return Array.from(
    Map.groupBy(wanted, ({ topic }) => topic),
    ([topic, ofTopic]) => ({
      topic,
      partitions: ofTopic.map(({ partition, offset }) => ({
        partition,
        fetchOffset: String(offset),
        maxBytes: MAX_BYTES.partition,
      })),
    }),
  );
}

function polledIn({ responses }: FetchResponse, wanted: readonly Wanted[]): Polled[] {
  const offsets = new Map(wanted.map(({ topic, partition, offset }) => [`${topic}-${partition}`, offset]));
  return responses.flatMap(({ topicName, partitions }) =>
    partitions.flatMap((fetched) => {
      const offset = offsets.get(`${topicName}-${fetched.partition}`);
      return offset === undefined ? [] : [toPolled(topicName, fetched, offset)];
    }),
  );
}

function toPolled(topic: string, fetched: FetchedPartition, offset: number): Polled {
  const { errorCode, messages, partition } = fetched;
  if (errorCode === OFFSET_OUT_OF_RANGE) return { topic, partition, kind: "out_of_range" };
  if (errorCode !== SUCCESS) {
    const error = fromClientError(kafkajsErrors.createErrorFromCode(errorCode));
    return { topic, partition, kind: "refused", error };
  }
  const end = Number(fetched.highWatermark);
  if (messages.length === 0) return { topic, partition, kind: "nothing", end };
  const batch = new Batch(topic, String(offset), fetched);
  const nextOffset = Number(batch.lastOffset()) + 1;
  return { topic, partition, kind: "records", records: recordsOf(batch), nextOffset, end };
}
