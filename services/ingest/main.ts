// Takes calls over HTTP and stores them in the calls topic (contract 7).
import { randomUUID } from "node:crypto";
import { createKafka, type Kafka } from "#kafka";
import { runService, type ServiceContext, type SettingsOf } from "#runtime";
import { createSerde, type Serde } from "#serde";
import { type TopicMap, topicMap } from "#topics";
import { createCallSink } from "./call-sink.ts";
import { settings } from "./config.ts";
import { watchEventLoop } from "./event-loop.ts";
import { startHttpServer } from "./http-server.ts";
import { createKafkaWatch } from "./kafka-watch.ts";
import { createLoadGate } from "./load-gate.ts";
import { createRateLimit } from "./rate-limit.ts";
import { createRequestHandler } from "./request-handler.ts";
import { createSourceDirectory } from "./source-directory.ts";
import { loadSources } from "./sources.ts";
import { createTelemetry, watchLevels } from "./telemetry.ts";

const KAFKA_WATCH_MS = 1_000;

type Context = ServiceContext<SettingsOf<typeof settings>>;

/** The ways out, closed last. */
function connect({ settings: { kafka: to, registry, topics: named }, logger, lifecycle, nowMs }: Context) {
  const topics = topicMap(named);
  const kafka = createKafka(to, { logger: logger.child("kafka"), now: nowMs });
  lifecycle.onStop("kafka", () => kafka.close());
  const serde = createSerde({
    registryUrl: registry.registryUrl,
    topics: [topics.calls, topics.sourceConfig],
    onUnavailable: ({ message }) =>
      logger.warn({ problem: message }, "the schema registry does not answer yet"),
    nowMs,
  });
  lifecycle.onStop("serde", () => serde.close());
  return { topics, kafka, serde };
}

function sourceTable(
  kafka: Kafka,
  serde: Serde,
  { topics, context }: { topics: TopicMap; context: Context },
) {
  return kafka.table({
    topic: topics.sourceConfig.name,
    decode: ({ value }) => serde.decode(topics.sourceConfig, value ?? Buffer.alloc(0)),
    onPoison: ({ key }, error) =>
      context.logger.error({ sourceId: key, err: error }, "source cannot be read"),
  });
}

async function start(context: Context): Promise<{ ingestPort: number }> {
  const {
    settings: { ingest },
    logger,
    metrics,
    health,
    lifecycle,
    nowMs,
  } = context;
  const { topics, kafka, serde } = connect(context);
  const table = sourceTable(kafka, serde, { topics, context });
  const producer = kafka.producer({ deliveryTimeoutMs: ingest.acknowledgeTimeoutMs });
  const { stopping } = lifecycle;
  const admin = kafka.admin();
  const ask = () => admin.partitionCount(topics.calls.name);
  const watch = createKafkaWatch({ ask, intervalMs: KAFKA_WATCH_MS, logger, stopping });
  const eventLoop = watchEventLoop();
  lifecycle.onStop("event loop watch", eventLoop.stop);

  let loaded = false;
  const oldestUnacknowledgedAtMs = () => producer.backlog.oldestAtMs;
  const unavailable = () => (loaded ? watch.problem && "kafka" : "starting") || undefined;
  const gate = createLoadGate(ingest, {
    oldestUnacknowledgedAtMs,
    eventLoop: eventLoop.load,
    unavailable,
    nowMs,
  });
  watchLevels(metrics, { waitingBytes: () => gate.waitingBytes, oldestUnacknowledgedAtMs });
  const handler = createRequestHandler({
    sources: createSourceDirectory(table),
    sink: createCallSink({
      encode: (call) => serde.encode(topics.calls, call),
      send: (records) => producer.send(records.map((record) => ({ topic: topics.calls.name, ...record }))),
      onUnavailable: watch.failed,
    }),
    gate,
    rateLimit: createRateLimit({ callsPerSecond: ingest.callsPerSecond, nowMs }),
    telemetry: createTelemetry(metrics),
    trustedProxies: ingest.trustedProxies,
    publicHost: ingest.publicHost,
    stopping: () => stopping.aborted,
    nowMs,
    newMessageId: randomUUID,
    onUnexpected: (error) => logger.error({ err: error }, "request could not be handled"),
  });
  const isOpen = () => gate.refusal() === undefined;
  const server = await startHttpServer({ host: ingest.host, port: ingest.port, handler, isOpen });
  lifecycle.onStop("http server", () => server.close());

  health.readiness("sources are not loaded yet", () => loaded);
  health.readiness("kafka", () => watch.problem ?? true);
  void watch.run();
  Promise.all([serde.start(), loadSources(table, { logger, stopping })]).then(
    () => {
      loaded = true;
    },
    (error: unknown) => {
      if (!stopping.aborted) lifecycle.fail(error);
    },
  );
  return { ingestPort: server.port };
}

await runService({ name: "ingest", settings, start });
