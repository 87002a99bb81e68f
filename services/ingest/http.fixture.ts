// The real request handler behind the real HTTP server; only Kafka is missing. For tests.
import type { AcceptedCall } from "#contract";
import { EventLoopTurns, systemHost } from "#host";
import { createMetrics, type Metrics } from "#runtime";
import { startHttpServer } from "./http-server.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { createLoadGate, type LoadGate, type LoadLimits, type LoadSources } from "./load-gate.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createRequestHandler } from "./request-handler.ts";
import { createTelemetry } from "./telemetry.ts";

export const WRITE_KEY = "wk_live";
/** Of another source. */
export const OTHER_KEY = "wk_other";
export const DISABLED_KEY = "wk_disabled";

export interface IngestFixture {
  readonly port: number;
  readonly url: string;
  /** What the sink was given, in order. */
  readonly stored: AcceptedCall[];
  readonly gate: LoadGate;
  readonly metrics: Metrics;
  readonly unexpected: unknown[];
  close(): Promise<void>;
}

export interface FixtureOptions {
  readonly parts?: Partial<IngestParts>;
  readonly limits?: Partial<LoadLimits>;
  readonly load?: Partial<LoadSources>;
  readonly callsPerSecond?: number;
  readonly maxConnections?: number;
  /** Replaces the sink that stores at once. */
  readonly store?: IngestParts["sink"]["store"];
}

const SOURCES = new Map([
  [WRITE_KEY, { id: "src_1", enabled: true }],
  [OTHER_KEY, { id: "src_3", enabled: true }],
  [DISABLED_KEY, { id: "src_2", enabled: false }],
]);

export async function startFixture(options: FixtureOptions = {}): Promise<IngestFixture> {
  const stored: AcceptedCall[] = [];
  const unexpected: unknown[] = [];
  const metrics = createMetrics({ service: "ingest", version: "0" });
  const nowMs = options.parts?.nowMs ?? Date.now;
  const gate = createLoadGate(
    { maxWaitingBytes: 64e6, maxUnacknowledgedMs: 2_000, maxEventLoopUtilisation: 1, ...options.limits },
    {
      oldestUnacknowledgedAtMs: () => undefined,
      eventLoop: () => ({ utilisation: 0, lagMs: 0 }),
      unavailable: () => undefined,
      nowMs,
      ...options.load,
    },
  );
  const turns = new EventLoopTurns(systemHost);
  const handler = createRequestHandler({
    sources: { byWriteKey: (key) => SOURCES.get(key) },
    sink: {
      async store(sourceId, calls) {
        const outcome = (await options.store?.(sourceId, calls)) ?? "stored";
        if (outcome === "stored") stored.push(...calls);
        return outcome;
      },
    },
    gate,
    rateLimit: createRateLimit({ callsPerSecond: options.callsPerSecond ?? 0, nowMs }),
    telemetry: createTelemetry(metrics),
    trustedProxies: 0,
    publicHost: undefined,
    stopping: () => false,
    host: systemHost,
    nowMs,
    newMessageId: () => "made-here",
    pause: () => turns.next(),
    onUnexpected: (error) => unexpected.push(error),
    ...options.parts,
  });
  const { maxConnections = 1_000 } = options;
  const isOpen = () => gate.refusal() === undefined;
  const server = await startHttpServer({ host: "127.0.0.1", port: 0, maxConnections, handler, isOpen });
  return {
    port: server.port,
    url: `http://127.0.0.1:${server.port}`,
    stored,
    gate,
    metrics,
    unexpected,
    close: () => server.close(),
  };
}

export const basic = (writeKey: string) => ({
  authorization: `Basic ${Buffer.from(`${writeKey}:`).toString("base64")}`,
});

export const BASIC = basic(WRITE_KEY);

export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

/** POSTs a body, authorised unless other headers are given. An object is sent as JSON. */
export async function post(
  { url }: { readonly url: string },
  path: string,
  { body, headers = BASIC }: { body: unknown; headers?: Record<string, string> },
): Promise<Reply> {
  const raw = typeof body === "string" || ArrayBuffer.isView(body);
  const init = { method: "POST", headers, body: (raw ? body : JSON.stringify(body)) as string };
  const response = await fetch(url + path, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}
