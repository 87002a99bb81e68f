import net, { type LookupFunction } from "node:net";
import tls from "node:tls";
import kafkajs from "kafkajs";
import type { Host } from "#host";
import { createLogAdapter } from "../log.ts";
import type { KafkaLogger, KafkaSettings } from "../types.ts";
import { certificateOptions } from "./client-certificate.ts";
import { installClientGroup } from "./client-group-patch.ts";
import { installZstd } from "./codec.ts";
import { patchConnection, seedToTry } from "./connection-patch.ts";
import { installFetchProtocol } from "./fetch-protocol.ts";
import { installGroupFetch } from "./group-fetch.ts";
import { patchMetadata } from "./metadata-patch.ts";
import { installProduceProtocol } from "./produce-protocol.ts";
import { patchRequestQueue } from "./request-queue-patch.ts";
import { patchRunner } from "./runner-patch.ts";
import { saslOptions } from "./sasl-options.ts";
import { createSharedLookup } from "./shared-lookup.ts";

const KEEP_ALIVE_MS = 60_000;
const CONNECTION_TIMEOUT_MS = 3_000;
/**
 * The request timeout, longer than the broker may wait for replicas (ACK_TIMEOUT_MS in produce-client.ts).
 */
const REQUEST_TIMEOUT_MS = 15_000;

/** Small: every caller here has a back-off of its own, and the client's never starts again from zero. */
const RETRY = { initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, retries: 3 };

/** The name of an IPv6 address in Windows, which has no place for colons either. */
const IPV6_SUFFIX = ".ipv6-literal.net";

/** The client takes what is before the first colon for the host. */
function withoutColons(broker: string): string {
  const end = broker.lastIndexOf("]:");
  if (end < 0) return broker;
  return `${broker.slice(1, end).replaceAll(":", "-")}${IPV6_SUFFIX}${broker.slice(end + 1)}`;
}

function hostNamed(name: string): string {
  return name.endsWith(IPV6_SUFFIX) ? name.slice(0, -IPV6_SUFFIX.length).replaceAll("-", ":") : name;
}

/**
 * Creates sockets as the client does, but without Nagle's delay: a produce request of several writes would
 * wait for an ACK.
 */
export function socketFactoryOf(lookup: LookupFunction): kafkajs.ISocketFactory {
  return ({ host: name, port, ssl, onConnect }) => {
    const host = hostNamed(name);
    const servername = net.isIP(host) === 0 ? { servername: host } : {};
    const socket = ssl
      ? tls.connect({ host, port, lookup, ...servername, ...ssl }, onConnect)
      : net.connect({ host, port, lookup }, onConnect);
    socket.on("error", sayEach);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    return socket;
  };
}

/** The client passes on no more than the text, and where none of a host's addresses answers there is none. */
function sayEach(error: Error & { readonly errors?: readonly Error[] }): void {
  if (error.message === "") error.message = (error.errors ?? []).map(({ message }) => message).join("; ");
}

/** The look-up is shared by the whole process, as libuv's threads are. */
const socketFactory = socketFactoryOf(createSharedLookup());

function tlsOptions(
  { tls: isOn, clientCertificate }: KafkaSettings,
  logger: KafkaLogger,
): boolean | tls.ConnectionOptions {
  return isOn && clientCertificate !== undefined ? certificateOptions(clientCertificate, logger) : isOn;
}

/** The configured client. It connects only when something made from it does. */
export function createClient(settings: KafkaSettings, logger: KafkaLogger, host: Host): kafkajs.Kafka {
  installZstd();
  patchRequestQueue();
  patchConnection();
  patchRunner();
  patchMetadata();
  installFetchProtocol();
  installClientGroup();
  // After the groups: its pace is to see no heartbeat fail after which the coordinator is looked for.
  installGroupFetch();
  installProduceProtocol();
  const seeds = settings.brokers.map(withoutColons);
  return new kafkajs.Kafka({
    brokers: () => seedToTry(seeds),
    clientId: settings.clientId,
    ssl: tlsOptions(settings, logger),
    ...(settings.sasl === undefined ? {} : { sasl: saslOptions(settings.sasl, logger) }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    retry: RETRY,
    socketFactory,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: createLogAdapter(logger, host),
  });
}
