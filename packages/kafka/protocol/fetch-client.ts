import type kafkajs from "kafkajs";
import Batch from "kafkajs/src/consumer/batch.js";
import type { FetchResponse } from "kafkajs/src/protocol/requests/fetch/index.js";
import type { Host } from "#host";
import type { Bounds, FetchClient, Fetched } from "../cluster.ts";
import type { TopicPartition } from "../types.ts";
import { connectCluster, leaderOf, unavailable } from "./client-brokers.ts";
import { recordsOf } from "./fetched-records.ts";
import { ReplaceableConnection } from "./replaceable-connection.ts";

/**
 * The longest wait of a broker when there is nothing to read. A range that is read has nothing only after a
 * change of leader.
 */
const MAX_WAIT_MS = 100;
/** A single larger batch comes all the same. */
const MAX_BYTES = 1024 * 1024;

export function createFetchClient(client: kafkajs.Kafka, host: Host): FetchClient {
  const connection = new ReplaceableConnection<kafkajs.Cluster>({
    name: "the fetch client",
    open: () => connectCluster(client),
    close: (cluster) => cluster.disconnect(),
  });
  /** A broker answers one request of a connection after the other anyway, and the client opens one for each that finds none. */
  const turns = new Turns();
  return {
    bounds: (partition) =>
      connection.use(async (cluster) => {
        await cluster.addTargetTopic(partition.topic);
        // A topic that was added in vain before counts as added, and is not asked about.
        await cluster.refreshMetadataIfNecessary();
        if (!hasPartition(cluster, partition)) return undefined;
        return turns.take(leaderOf(cluster, partition), () => boundsOf(cluster, partition));
      }),
    fetch: (partition, offset) =>
      connection.use(async (cluster) => {
        await cluster.addTargetTopic(partition.topic);
        const nodeId = leaderOf(cluster, partition);
        return turns.take(nodeId, async () => {
          // A broker that has gone silent costs each turn the client's request timeout.
          if (leaderOf(cluster, partition) !== nodeId) throw unavailable("the leader has moved");
          return fetchFrom(await cluster.findBroker({ nodeId }), partition, offset);
        });
      }),
    // One reader's failure shall not cost the others their connections.
    renew: () => connection.check((cluster) => cluster.refreshMetadata()),
    close: () => connection.close(host),
  };
}

function hasPartition(cluster: kafkajs.Cluster, { topic, partition }: TopicPartition): boolean {
  return cluster.findTopicPartitionMetadata(topic).some(({ partitionId }) => partitionId === partition);
}

async function boundsOf(cluster: kafkajs.Cluster, { topic, partition }: TopicPartition): Promise<Bounds> {
  const ask = async (fromBeginning: boolean): Promise<number> => {
    const [answer] = await cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning }]);
    const offset = answer?.partitions.find((each) => each.partition === partition)?.offset;
    if (offset === undefined) throw unavailable("no offset in the answer");
    return Number(offset);
  };
  const low = await ask(true);
  return { low, high: await ask(false) };
}

async function fetchFrom(
  broker: kafkajs.Broker,
  { topic, partition }: TopicPartition,
  offset: number,
): Promise<Fetched> {
  const fetchOffset = String(offset);
  const fetching: Promise<FetchResponse> = broker.fetch({
    maxWaitTime: MAX_WAIT_MS,
    maxBytes: MAX_BYTES,
    topics: [{ topic, partitions: [{ partition, fetchOffset, maxBytes: MAX_BYTES }] }],
  });
  const answer = await fetching.catch((thrown: unknown) => {
    if (isOutOfRange(thrown)) return undefined;
    throw thrown;
  });
  if (answer === undefined) return { kind: "out_of_range" };
  const [fetched] = answer.responses.flatMap(({ partitions }) => partitions);
  // A throttled answer has no partition in it.
  if (fetched === undefined || fetched.messages.length === 0) return { kind: "nothing" };
  const batch = new Batch(topic, fetchOffset, fetched);
  return { kind: "records", records: recordsOf(batch), nextOffset: Number(batch.lastOffset()) + 1 };
}

function isOutOfRange(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.name === "KafkaJSOffsetOutOfRange";
}

/** Runs work one after the other, per key. */
class Turns {
  readonly #last = new Map<string, Promise<void>>();

  take<R>(key: string, work: () => Promise<R>): Promise<R> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    // The turn drops its result, which would stay in memory until the next.
    const ended = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    return turn;
  }
}
