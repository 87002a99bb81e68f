import errors from "kafkajs/src/errors.js";
import Connection, { type ClientConnection } from "kafkajs/src/network/connection.js";
import ConnectionPool, { type BrokerConnections } from "kafkajs/src/network/connectionPool.js";
import { closeWaiting } from "./fetch-connections.ts";
import { isPatched } from "./patched.ts";

/** What requests to brokers that have not answered in time failed with. */
const silences = new WeakSet<object>();

/**
 * A machine that loses its power or its network closes no connection. The client keeps one on which a request was not answered in time, and asks no
 * other broker who leads now: consumers read nothing of that broker's partitions for two minutes. This one closes it, as the Java client does; after a
 * closed one the client does all that is needed. It closes the broker's other connection too: the client waits for what is asked there. Safe to call again.
 */
export function patchConnection(): void {
  if (isPatched(Connection.prototype, "connection")) return;
  Connection.prototype.send = closingSilent(Connection.prototype.send);
  ConnectionPool.prototype.send = closingAll(ConnectionPool.prototype.send);
}

/** Exported for its tests, as the next. */
export function closingSilent(send: ClientConnection["send"]): ClientConnection["send"] {
  return async function sendOrClose(this: ClientConnection, exchange) {
    try {
      return await send.call(this, exchange);
    } catch (thrown) {
      if (!(thrown instanceof errors.KafkaJSRequestTimeoutError)) throw thrown;
      const closed = new errors.KafkaJSConnectionClosedError(thrown.message, this);
      silences.add(closed);
      closeWaiting(this, closed);
      throw closed;
    }
  };
}

export function closingAll(send: BrokerConnections["send"]): BrokerConnections["send"] {
  return async function sendOrCloseAll(this: BrokerConnections, exchange) {
    try {
      return await send.call(this, exchange);
    } catch (thrown) {
      if (thrown instanceof Error && silences.has(thrown))
        for (const connection of this.pool) if (connection.isConnected()) closeWaiting(connection, thrown);
      throw thrown;
    }
  };
}
