import Broker, { type BrokerInternals } from "kafkajs/src/broker/index.js";
import errors from "kafkajs/src/errors.js";
import Connection, { type ClientConnection } from "kafkajs/src/network/connection.js";
import ConnectionPool, { type BrokerConnections } from "kafkajs/src/network/connectionPool.js";
import { systemHost } from "#host";
import { fromClientError } from "../errors.ts";
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
  Broker.prototype.connect = reaching(Broker.prototype.connect);
}

/** When brokers could not be reached last, by address, in the host's elapsed ms. */
const missedAtMs = new Map<string, number>();

/** The seed to begin with, alone: one that was never missed, or not for the longest time. The client begins with the first one of a list each time. */
export function seedToTry(seeds: readonly string[]): string[] {
  return seeds.toSorted((a, b) => (missedAtMs.get(a) ?? 0) - (missedAtMs.get(b) ?? 0)).slice(0, 1);
}

/** The client goes on with the next seed only where no connection is made. One that takes a connection, and ends it or goes silent, is missed as well. */
function reaching(connect: BrokerInternals["connect"]): BrokerInternals["connect"] {
  return async function connectOrMiss(this: BrokerInternals) {
    try {
      await connect.call(this);
    } catch (thrown) {
      const broker = this.brokerAddress;
      const { code, message } = fromClientError(thrown);
      if (code !== "unavailable") throw thrown;
      missedAtMs.set(broker, systemHost.elapsed());
      throw new errors.KafkaJSConnectionError(message, { broker, code: (thrown as { code?: unknown }).code });
    }
  };
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
