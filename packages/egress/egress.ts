import { Agent } from "undici";
import type { RequestResult } from "#contract";
import { type Host, systemHost } from "#host";
import { addressPolicy } from "./addresses.ts";
import { createConnector } from "./connector.ts";
import { Exchange, failureResult, MAX_RESPONSE_BYTES } from "./exchange.ts";
import { failureOf, messageOf } from "./failures.ts";
import { createNameService } from "./name-service.ts";
import { createResolver, type Resolve } from "./resolver.ts";
import { createTargetCache } from "./targets.ts";
import { type TracedDispatchOptions, tracedPools } from "./traced-client.ts";

export interface EgressOptions {
  /** Ranges opened beside the public internet (contract 6.1), as "10.0.0.0/8", "fd00::/8" or one address. */
  readonly allowCidrs: readonly string[];
  /** Certificate authorities (PEM) trusted beside the system's; NODE_EXTRA_CA_CERTS counts too. */
  readonly ca?: readonly string[];
  /** Connections to one origin; more requests wait for one, and that time counts. Default 128. */
  readonly connectionsPerOrigin?: number;
  /** Open connections to all origins from which on a new one is closed after its answer. Default 2,000. */
  readonly keptConnections?: number;
  /** Replaces the name service in tests. */
  readonly resolve?: Resolve;
  /** The time for which a name's addresses are used. Default 30 s. */
  readonly dnsTtlMs?: number;
  /** The machine's own unless given. */
  readonly host?: Host;
}

export interface PostOptions {
  /** http or https, as the configuration allowed it (contract 4.2). */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The time from now to status line and headers (contract 2.5). */
  readonly deadlineMs: number;
  /** The bytes of the response's body that the result shall hold; 0, the default, answers at the headers. */
  readonly captureBytes?: number;
  /** The same of a response that is no success, which is then waited for for a second; 0 unless given. */
  readonly captureFailureBytes?: number;
}

/** The guarded way out: the only place that sends requests to customers' endpoints. */
export interface Egress {
  /** One request, without redirects or resends. Whatever happens is the result: it never rejects. */
  post(options: PostOptions): Promise<RequestResult>;
  /** Waits for the result of every request under way, then closes every connection. */
  close(): Promise<void>;
}

const DNS_TTL_MS = 30_000;

/** The time for which an idle connection is kept. */
const KEEP_ALIVE_MS = 15_000;

/** Over https one takes 100 KiB: a thousand calls a second to as many hosts would keep more than a gigabyte of them. */
const KEPT_CONNECTIONS = 2_000;

const AGENT_OPTIONS = {
  allowH2: false,
  pipelining: 1,
  keepAliveTimeout: KEEP_ALIVE_MS,
  // A server's own hint (Keep-Alive: timeout=…) may shorten, and at most double it.
  keepAliveMaxTimeout: KEEP_ALIVE_MS * 2,
  // Contract 2.6; undici's own is 16 KiB.
  maxHeaderSize: MAX_RESPONSE_BYTES,
  // Exchange has the one timer; undici's would cost work and measure something else.
  headersTimeout: 0,
  bodyTimeout: 0,
} as const satisfies Agent.Options;

/** Throws InvalidCidrError for an unreadable allow-list. */
export function createEgress(options: EgressOptions): Egress {
  const { host = systemHost, keptConnections = KEPT_CONNECTIONS } = options;
  const elapsedMs = () => host.elapsed();
  const nameService = createNameService({ host });
  const resolver = createResolver({
    resolve: options.resolve ?? nameService.resolve,
    elapsedMs,
    ttlMs: options.dnsTtlMs ?? DNS_TTL_MS,
  });
  const open = { count: 0 };
  const connect = createConnector({
    policy: addressPolicy(options.allowCidrs),
    resolver,
    ca: options.ca ?? [],
    open,
  });
  const agent = new Agent({
    factory: tracedPools(connect, elapsedMs, () => open.count >= keptConnections),
    ...AGENT_OPTIONS,
    connections: options.connectionsPerOrigin ?? 128,
  });
  const targetOf = createTargetCache();
  let underWay = 0;
  let onIdle: (() => void) | undefined;

  function dispatch(request: PostOptions, settle: (result: RequestResult) => void): void {
    const { origin, path } = targetOf(request.url);
    const { body, captureBytes = 0, captureFailureBytes = captureBytes, deadlineMs, headers } = request;
    const exchange = new Exchange({ deadlineMs, captureBytes, captureFailureBytes, settle, host });
    const options: TracedDispatchOptions = { origin, path, method: "POST", headers, body, traced: exchange };
    agent.dispatch(options, exchange);
  }

  return {
    post: (request) =>
      new Promise((resolve) => {
        underWay += 1;
        const settle = (result: RequestResult) => {
          underWay -= 1;
          resolve(result);
          if (underWay === 0) onIdle?.();
        };
        try {
          dispatch(request, settle);
        } catch (error) {
          settle(failureResult(failureOf(error), messageOf(error), 0));
        }
      }),
    async close() {
      if (underWay > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve;
        });
      }
      // agent.close() would also wait for bodies that nobody needs, and for connections nobody waits for.
      await agent.destroy();
      nameService.close();
    },
  };
}
