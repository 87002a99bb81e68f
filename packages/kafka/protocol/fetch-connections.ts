import type kafkajs from "kafkajs";
import type { ClusterInternals, ConnectionInternals } from "kafkajs/src/cluster/index.js";
import { consumerStopped } from "../errors.ts";

/** The client's number for the connection that fetches; the client keeps it apart from all other requests. */
const OF_FETCHES = 1;

/**
 * Closes the connections on which fetches wait; the fetches fail with "closed". The client closes a connection when all is answered, and a broker
 * reads nothing from one, its end neither, while a fetch waits there.
 */
export function closeFetchConnections(cluster: kafkajs.Cluster): void {
  const { brokerPool } = cluster as unknown as ClusterInternals;
  for (const { connectionPool } of Object.values(brokerPool.brokers)) {
    const connection = connectionPool.pool[OF_FETCHES];
    // One that is being opened fetches soon, and not for long (FetchPace.isFirst).
    if (connection === undefined || connection.requestQueue.inflight.size === 0) continue;
    closeWaiting(connection, consumerStopped());
  }
}

/** Closes a connection whatever waits on it, which fails with this. */
export function closeWaiting(connection: ConnectionInternals, error: Error): void {
  connection.rejectRequests(error);
  void connection.disconnect();
  // An answer that is on its way would belong to nothing.
  connection.socket?.destroy();
}
