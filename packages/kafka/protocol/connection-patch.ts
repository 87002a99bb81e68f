import errors from "kafkajs/src/errors.js";
import Connection, { type ClientConnection } from "kafkajs/src/network/connection.js";
import { closeWaiting } from "./fetch-connections.ts";
import { isPatched } from "./patched.ts";

/**
 * A machine that loses its power or its network closes no connection. The client keeps one on which a request was not answered in time, and asks no
 * other broker who leads now: consumers read nothing of that broker's partitions for two minutes. This one closes it, as the Java client does; after a
 * closed one the client does all that is needed. Safe to call again.
 */
export function patchConnection(): void {
  if (isPatched(Connection.prototype, "connection")) return;
  Connection.prototype.send = closingSilent(Connection.prototype.send);
}

/** Exported for its tests. */
export function closingSilent(send: ClientConnection["send"]): ClientConnection["send"] {
  return async function sendOrClose(this: ClientConnection, exchange) {
    try {
      return await send.call(this, exchange);
    } catch (thrown) {
      if (!(thrown instanceof errors.KafkaJSRequestTimeoutError)) throw thrown;
      const closed = new errors.KafkaJSConnectionClosedError(thrown.message, this);
      closeWaiting(this, closed);
      throw closed;
    }
  };
}
