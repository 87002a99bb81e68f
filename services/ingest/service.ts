// Takes calls over HTTP and stores them in the calls topic (contract 7).
import { EventLoopTurns } from "#host";
import { failUnlessStopping, type ServiceDefinition } from "#runtime";
import { openTracer, type Tracer } from "#tracing";
import { settings } from "./config.ts";
import type { IngestContext } from "./connection.ts";
import { watchEventLoop } from "./limits/event-loop.ts";
import { createLoadGate, type LoadGate } from "./limits/load-gate.ts";
import { createRateLimit } from "./limits/rate-limit.ts";
import { startHttpServer } from "./request/http-server.ts";
import { createRequestHandler, type RequestHandler } from "./request/request-handler.ts";
import { type CallsStore, openCallsStore } from "./sink/calls-store.ts";
import { createTelemetry, watchLevels } from "./telemetry.ts";

/** Listens at once and answers 503 until sources and suppressions are loaded, so that a start without Kafka can be seen from outside. */
async function start(context: IngestContext): Promise<{ ingestPort: number }> {
  const { settings: own, health, lifecycle } = context;
  const turns = new EventLoopTurns(context.host);
  const tracer = openTracer({ ...context, name: ingest.name });
  const store = openCallsStore(context, turns);
  const gate = openGate(context, store);
  const server = await startHttpServer({
    host: own.ingest.host,
    port: own.ingest.port,
    maxConnections: own.ingest.maxConnections,
    handler: requestHandler(context, { store, gate, tracer, turns }),
    isOpen: () => gate.refusal() === undefined,
    newRequestId: () => context.host.uuid(),
  });
  lifecycle.onStop("http server", () => server.close());
  health.readiness("sources and suppressions are not loaded yet", () => store.loaded);
  health.readiness("kafka", () => store.watch.problem ?? true);
  store.load().catch(failUnlessStopping(lifecycle));
  return { ingestPort: server.port };
}

function openGate(context: IngestContext, store: CallsStore): LoadGate {
  const { settings: own, metrics, lifecycle, host, nowMs } = context;
  const { unacknowledgedMs } = store;
  const eventLoop = watchEventLoop(host);
  lifecycle.onStop("event loop watch", eventLoop.stop);
  const gate = createLoadGate(own.ingest, {
    unacknowledgedMs,
    sinceStoredMs: store.watch.sinceStoredMs,
    sinceTriedMs: store.watch.sinceTriedMs,
    eventLoop: eventLoop.load,
    unavailable() {
      if (!store.loaded) return "starting";
      return store.watch.problem === undefined ? undefined : "kafka";
    },
  });
  watchLevels(metrics, { waitingBytes: () => gate.waitingBytes, unacknowledgedMs, nowMs });
  return gate;
}

interface HandlerParts {
  readonly store: CallsStore;
  readonly gate: LoadGate;
  readonly tracer: Tracer;
  readonly turns: EventLoopTurns;
}

function requestHandler(
  context: IngestContext,
  { store, gate, tracer, turns }: HandlerParts,
): RequestHandler {
  const { settings: own, logger, metrics, lifecycle, host, nowMs } = context;
  return createRequestHandler({
    sources: store.sources,
    suppressions: store.suppressions,
    sink: store.sink,
    refusedCalls: store.refusedCalls,
    formerKeys: store.formerKeys,
    gate,
    rateLimit: createRateLimit({ callsPerSecond: own.ingest.callsPerSecond, nowMs }),
    telemetry: createTelemetry(metrics),
    tracer,
    trustedProxies: own.ingest.trustedProxies,
    publicHost: own.ingest.publicHost,
    stopping: () => lifecycle.stopping.aborted,
    host,
    nowMs,
    newMessageId: () => host.uuid(),
    pause: () => turns.next(),
    newRequestId: () => host.uuid(),
    onUnexpected: (error, requestId) =>
      logger.error({ err: error, requestId }, "request could not be handled"),
  });
}

export const ingest: ServiceDefinition<typeof settings> = { name: "ingest", settings, start };
