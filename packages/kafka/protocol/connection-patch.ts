import errors from "kafkajs/src/errors.js";
import ConnectionPool, { type BrokerConnections } from "kafkajs/src/network/connectionPool.js";
import { closeWaiting } from "./fetch-connections.ts";
import { isPatched } from "./patched.ts";

/**
 * A machine that loses its power or its network closes no connection. The client keeps one on which a request was not answered in time, and asks no
 * other broker who leads now: consumers read nothing of that broker's partitions for two minutes. This one closes it, as the Java client does; after a
 * closed one the client does all that is needed. It closes the broker's other connection too: the client waits for what is asked there. Safe to call again.
 */
export function patchConnection(): void {
  if (isPatched(ConnectionPool.prototype, "connection")) return;
  ConnectionPool.prototype.send = closingSilent(ConnectionPool.prototype.send);
}

/** Exported for its tests. */
export function closingSilent(send: BrokerConnections["send"]): BrokerConnections["send"] {
  return async function sendOrClose(this: BrokerConnections, exchange) {
    try {
      return await send.call(this, exchange);
    } catch (thrown) {
      if (!(thrown instanceof errors.KafkaJSRequestTimeoutError)) throw thrown;
      const closed = new errors.KafkaJSConnectionClosedError(thrown.message, this);
      for (const connection of this.pool) closeWaiting(connection, closed);
      throw closed;
    }
  };
}
