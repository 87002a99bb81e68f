import { isIP, type LookupFunction, type Socket } from "node:net";
import { createSecureContext, getCACertificates } from "node:tls";
import { buildConnector } from "undici";
import type { AddressPolicy } from "./addresses.ts";
import type { ConnectionLog } from "./connection-log.ts";
import { BlockedAddressError, failureOf, NoAddressError, SelfSignedError } from "./failures.ts";
import type { CachedResolver, ResolvedAddress } from "./resolver.ts";
import { watchForSelfSigned } from "./self-signed.ts";

export interface ConnectorOptions {
  readonly policy: AddressPolicy;
  readonly resolver: CachedResolver;
  /** More certificate authorities (PEM) beside the system's own. */
  readonly ca: readonly string[];
  /** Counts connections that are being made or stand. */
  readonly open: { count: number };
}

/** An upper bound on connecting, for requests of every deadline. */
const CONNECT_TIMEOUT_MS = 10_000;

/** The time for one of several addresses, which covers a first packet that was lost (sent again after 1 s); Node's own is 250 ms. */
const ADDRESS_TIMEOUT_MS = 1_500;

/** Refuses a name when any of its addresses is forbidden: an attacker's mix of answers is not played with. */
function assertAllowed(hostname: string, addresses: readonly ResolvedAddress[], policy: AddressPolicy): void {
  if (addresses.length === 0) throw new NoAddressError(`${hostname} has no address`);
  for (const { address } of addresses) {
    const refusal = policy(address);
    // The address itself stays out of the text: customers read it, and it would map the operator's network for them.
    if (refusal !== undefined) throw new BlockedAddressError(`${hostname} has an address ${refusal}`);
  }
}

/** The lookup handed to the socket: it gives out only checked addresses, so no second resolution can differ (DNS rebinding). */
function guardedLookup({ policy, resolver }: ConnectorOptions): LookupFunction {
  return (hostname, options, callback) => {
    resolver
      .resolve(hostname)
      .then((addresses) => {
        assertAllowed(hostname, addresses, policy);
        return addresses;
      })
      .then(
        (addresses) => {
          const [first = { address: "", family: 0 }] = addresses;
          if (options.all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
  };
}

/**
 * The last look, at the address that the socket really reached, before a byte is sent on it: it runs ahead of the
 * listeners that start the TLS handshake or write the request. It finds nothing unless the lookup above is bypassed.
 */
function refuseForbiddenPeer(socket: Socket, policy: AddressPolicy): void {
  socket.prependOnceListener("connect", () => {
    const refusal = policy(socket.remoteAddress ?? "");
    if (refusal !== undefined) socket.destroy(new BlockedAddressError(`the connected address is ${refusal}`));
  });
}

interface Parser {
  onHeadersComplete(status: number, ...more: unknown[]): number;
}

/**
 * undici ends a connection at a `100 Continue`, which servers may send unasked (RFC 9110, 15.2), and passes over every other 1xx.
 * Only a symbol leads to its parser: a test tells when that has changed.
 */
function passOverContinue(socket: Socket): void {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === "parser");
  const parser = key && (socket as unknown as Record<symbol, Parser>)[key];
  if (!parser) return;
  const complete = parser.onHeadersComplete.bind(parser);
  parser.onHeadersComplete = (status, ...more) => complete(status === 100 ? 102 : status, ...more);
}

/** undici's connector, told where to keep what making the connection took. */
export type TracingConnector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  log: ConnectionLog,
) => void;

/**
 * Makes connections for undici to allowed addresses only (contract 6.1). IP literals never reach a lookup, so they are
 * checked here; the URL parser has already turned every notation (0x7f000001, 2130706433, 127.1) into the plain one.
 */
export function createConnector(options: ConnectorOptions): TracingConnector {
  const { ca, open, policy, resolver } = options;
  const connect = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    // Said explicitly, NODE_TLS_REJECT_UNAUTHORIZED=0 cannot switch it off.
    rejectUnauthorized: true,
    // One context for all connections: parsing 150 root certificates for each of them would cost milliseconds.
    secureContext: createSecureContext(ca.length > 0 ? { ca: [...getCACertificates("default"), ...ca] } : {}),
    lookup: guardedLookup(options),
  });
  return (target, callback, log) => {
    const refusal = isIP(target.hostname) === 0 ? undefined : policy(target.hostname);
    if (refusal !== undefined) {
      const error = new BlockedAddressError(`${target.hostname} is ${refusal}`);
      log.refused();
      queueMicrotask(() => callback(error, null));
      return;
    }
    // undici's connector returns the socket, which its type leaves out.
    const socket = connect(target, (...outcome) => {
      const [error] = outcome;
      if (error === null) {
        log.ready();
        callback(...outcome);
        if (outcome[1] !== null) passOverContinue(outcome[1]);
        return;
      }
      const failure = failureOf(error);
      if (failure === "blocked_address") log.refused();
      // A name that nobody knows would be asked for with every request otherwise.
      if (failure !== "dns") resolver.forget(target.hostname);
      callback(failure === "tls" && isSelfSigned() ? new SelfSignedError(error.message) : error, null);
    }) as unknown as Socket;
    open.count += 1;
    socket.once("close", () => {
      open.count -= 1;
    });
    refuseForbiddenPeer(socket, policy);
    log.begin(socket, target);
    const isSelfSigned = watchForSelfSigned(socket);
  };
}
