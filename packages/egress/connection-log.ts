// The target of a connection, and the time that it took to open. There is one log for each client of undici,
// which has one connection at a time and opens the next when that has ended.
import { isIP, type Socket } from "node:net";
import type { ConnectionTrace, RequestPhases } from "#contract";
import { isPublicAddress } from "./addresses.ts";

/** The target of a connection. */
export interface ConnectionTarget {
  readonly hostname: string;
  readonly protocol: string;
}

interface Making {
  readonly target: ConnectionTarget;
  readonly startedAtMs: number;
  resolvedAtMs: number | undefined;
  connectedAtMs: number | undefined;
  securedAtMs: number | undefined;
  address: string | undefined;
  /** A request has gone over it: what making it took was told with that one. */
  isUsed: boolean;
}

/** When a request was sent over the connection, and what for. */
interface Use {
  readonly isFirst: boolean;
  readonly sentAtMs: number;
}

export class ConnectionLog {
  readonly #elapsedMs: () => number;
  #making: Making | undefined;

  constructor(elapsedMs: () => number) {
    this.#elapsedMs = elapsedMs;
  }

  /** A new connection is being made over this socket. */
  begin(socket: Socket, target: ConnectionTarget): void {
    const startedAtMs = this.#elapsedMs();
    const isLiteral = isIP(target.hostname) !== 0;
    const making: Making = {
      target,
      startedAtMs,
      resolvedAtMs: isLiteral ? startedAtMs : undefined,
      connectedAtMs: undefined,
      securedAtMs: undefined,
      address: undefined,
      isUsed: false,
    };
    this.#making = making;
    if (!isLiteral)
      socket.once("lookup", () => {
        making.resolvedAtMs = this.#elapsedMs();
      });
    socket.once("connect", () => {
      making.connectedAtMs = this.#elapsedMs();
      making.address = socket.remoteAddress;
    });
  }

  /** The connection is ready for requests. */
  ready(): void {
    if (this.#making !== undefined) this.#making.securedAtMs = this.#elapsedMs();
  }

  /** No connection was tried. */
  refused(): void {
    this.#making = undefined;
  }

  /** A request is sent over it. */
  use(): Use {
    const isFirst = this.#making?.isUsed === false;
    if (this.#making !== undefined) this.#making.isUsed = true;
    return { isFirst, sentAtMs: this.#elapsedMs() };
  }

  /**
   * The connection of a request that has ended now, at the status line and headers or by its failure. `use`
   * is undefined when it was never sent.
   */
  trace(use: Use | undefined): ConnectionTrace | undefined {
    const making = this.#making;
    if (making === undefined) return undefined;
    const nowMs = this.#elapsedMs();
    const address = shownAddress(making);
    const wait = use === undefined ? {} : { waitMs: nowMs - use.sentAtMs };
    const made = use === undefined || use.isFirst ? phasesOf(making, nowMs) : {};
    return { ...(address !== undefined && { address }), phases: { ...made, ...wait } };
  }
}

/** A part that was not come to is left out; the one that the end came in lasts until then. */
function phasesOf(making: Making, nowMs: number): RequestPhases {
  const { connectedAtMs, resolvedAtMs, securedAtMs, startedAtMs, target } = making;
  const dns = { dnsMs: (resolvedAtMs ?? nowMs) - startedAtMs };
  if (resolvedAtMs === undefined) return dns;
  const connect = { ...dns, connectMs: (connectedAtMs ?? nowMs) - resolvedAtMs };
  if (connectedAtMs === undefined || target.protocol !== "https:") return connect;
  return { ...connect, tlsMs: (securedAtMs ?? nowMs) - connectedAtMs };
}

/**
 * The address as it may be shown. An address inside the operator's network is hidden: readers of attempts
 * could map the network by names.
 */
function shownAddress({ address, target }: Making): string | undefined {
  if (address === undefined) return undefined;
  return isIP(target.hostname) !== 0 || isPublicAddress(address) ? address : undefined;
}
