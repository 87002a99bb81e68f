import { Client, type Dispatcher, Pool } from "undici";
import { ConnectionLog } from "./connection-log.ts";
import type { TracingConnector } from "./connector.ts";

/** Is told which connection it will go over, as soon as that is decided. */
export interface Traced {
  connection: ConnectionLog | undefined;
}

export interface TracedDispatchOptions extends Dispatcher.DispatchOptions {
  /** The request that is dispatched: undici hands its handlers on in wrappers, but these options as they are. */
  readonly traced: Traced;
}

class TracedClient extends Client {
  readonly #log: ConnectionLog;
  readonly #isFull: () => boolean;

  constructor(origin: string | URL, options: Client.Options, log: ConnectionLog, isFull: () => boolean) {
    super(origin, options);
    this.#log = log;
    this.#isFull = isFull;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (options as TracedDispatchOptions).traced.connection = this.#log;
    // A connection that stands is in use again, and stays: else all would be closed for those of rare hosts.
    const isClosed = this.#isFull() && !this.stats.connected;
    return super.dispatch(isClosed ? { ...options, reset: true } : options, handler);
  }
}

/**
 * Makes the pools of an agent whose requests are TracedDispatchOptions. `isFull` tells whether so many connections are open that a
 * new one is not kept.
 */
export function tracedPools(
  connect: TracingConnector,
  elapsedMs: () => number,
  isFull: () => boolean,
): (origin: string | URL, options: object) => Dispatcher {
  const factory = (origin: string | URL, options: object): Dispatcher => {
    const log = new ConnectionLog(elapsedMs);
    const traced: Client.Options = {
      ...options,
      connect: (target, callback) => connect(target, callback, log),
    };
    return new TracedClient(origin, traced, log, isFull);
  };
  return (origin, options) => new Pool(origin, { ...options, factory });
}
