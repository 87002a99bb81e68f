import type { AddressInfo } from "node:net";
import { createEgress } from "#egress";
import { createKafka, type Kafka, type Table } from "#kafka";
import type { ServiceContext, ServiceDefinition, SettingsOf } from "#runtime";
import { createSecretBox } from "#secrets";
import { createSerde, type Serde } from "#serde";
import { type RecordTypes, type Topic, topicMap } from "#topics";
import { addAttemptRoutes } from "./attempts/routes.ts";
import { addStatsRoute } from "./attempts/stats-routes.ts";
import { createChangeQueue } from "./change-queue.ts";
import { settings } from "./config.ts";
import { type ConfigName, createConfigStore } from "./config-store.ts";
import type { ControlContext } from "./context.ts";
import { addDeadLetterRoutes } from "./dead-letters/routes.ts";
import { addDestinationRoutes } from "./destinations/routes.ts";
import { openHealth } from "./health/open.ts";
import { createAuthorise, listenHost } from "./http/auth.ts";
import { createServer } from "./http/server.ts";
import { createIds } from "./ids.ts";
import { openDeliveries } from "./open-deliveries.ts";
import { addReplayRoutes } from "./replays/routes.ts";
import { addSourceRoutes } from "./sources/routes.ts";
import { addWriteKeyRoutes } from "./sources/write-key-routes.ts";
import { createTelemetry, type Resource, type Telemetry } from "./telemetry.ts";
import { addTestRoute } from "./test-call/routes.ts";

type Context = ServiceContext<SettingsOf<typeof settings>>;

/** A change that Kafka has not acknowledged by then is answered with 503: a person or program is waiting. */
const DELIVERY_TIMEOUT_MS = 5_000;

const ROUTES = [
  addSourceRoutes,
  addWriteKeyRoutes,
  addDestinationRoutes,
  addTestRoute,
  addAttemptRoutes,
  addStatsRoute,
  addDeadLetterRoutes,
  addReplayRoutes,
];

/** The control API (contract 10): configuration in, configuration and what became of calls out; it owns no data. */
export const control: ServiceDefinition<typeof settings> = { name: "control", settings, start };

async function start(context: Context) {
  const { tokens } = context.settings.tokens;
  const host = listenHost(context.settings.api.host, tokens);
  const controlContext = await openContext(context);
  const server = await createServer({
    authorise: createAuthorise(tokens),
    telemetry: controlContext.telemetry,
    logger: context.logger,
    routes: ROUTES.map((add) => (app) => add(app, controlContext)),
  });
  await server.listen({ host, port: context.settings.api.port });
  context.lifecycle.onStop("control API", () => server.close());
  if (tokens.length === 0)
    context.logger.info({ host }, "no token is configured: the API answers this machine only");
  return { controlPort: (server.server.address() as AddressInfo).port };
}

/** Opens everything that the routes work with; resolves when the configuration has been read to its end. */
async function openContext(context: Context): Promise<ControlContext> {
  const { settings, logger, metrics, health, lifecycle, host, nowMs } = context;
  const topics = topicMap(settings.topics);
  const { sourceConfig, destinationConfig } = topics;
  const serde = createSerde({
    registryUrl: settings.registry.registryUrl,
    topics: [
      sourceConfig,
      destinationConfig,
      topics.replays,
      topics.deliveryAttempts,
      topics.deliveryTotals,
      topics.deadLetters,
      topics.deliveryJobs,
      topics.destinationHealth,
      topics.operationalEvents,
    ],
    onUnavailable: (error, retryInMs) =>
      logger.warn({ err: error, retryInMs }, "waiting for the schema registry"),
    host,
  });
  const kafka = createKafka(settings.kafka, { logger: logger.child("kafka"), host });
  lifecycle.onStop("Kafka", () => kafka.close());
  lifecycle.onStop("serde", () => serde.close());
  const egress = createEgress({ allowCidrs: settings.egress.allowCidrs });
  lifecycle.onStop("egress", () => egress.close());

  const tables = { serde, kafka, onPoison: (resource: Resource) => telemetry.poisoned(resource), logger };
  const sourceTable = openTable(sourceConfig, "source", tables);
  const destinationTable = openTable(destinationConfig, "destination", tables);
  const telemetry: Telemetry = createTelemetry(metrics, (resource) =>
    resource === "source" ? sourceTable.size : destinationTable.size,
  );
  health.readiness("configuration is loaded", () => sourceTable.loaded && destinationTable.loaded);
  await serde.start();
  await Promise.all([sourceTable.load(), destinationTable.load()]);
  const producer = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const destination = (id: string) => destinationTable.get(id);
  const shared = {
    destinations: createConfigStore({ topic: destinationConfig, table: destinationTable, producer, serde }),
    changes: createChangeQueue(context.host),
    partitions: await kafka.admin().partitionCount(topics.deliveryJobs.name),
    egress,
  };
  return {
    ...shared,
    ...openDeliveries(context, { kafka, serde, topics, destination }),
    health: await openHealth(context, { ...shared, kafka, serde, topics }),
    sources: createConfigStore({ topic: sourceConfig, table: sourceTable, producer, serde }),
    secrets: createSecretBox(settings.encryption),
    delivery: settings.egress,
    ids: createIds(),
    telemetry,
    logger,
    host: context.host,
    nowMs,
  };
}

interface TableParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly logger: Context["logger"];
  readonly onPoison: (resource: Resource) => void;
}

function openTable<R extends ConfigName>(
  topic: Topic<R>,
  resource: Resource,
  { kafka, serde, logger, onPoison }: TableParts,
): Table<RecordTypes[R]> {
  return kafka.table<RecordTypes[R]>({
    topic: topic.name,
    // Tombstones are the table's own; a record that is there has a value.
    decode: ({ value }) => serde.decode(topic, value ?? Buffer.alloc(0)),
    onPoison({ key, partition, offset }, error) {
      onPoison(resource);
      logger.error(
        { err: error, key, partition, offset, topic: topic.name },
        "a configuration record cannot be read",
      );
    },
  });
}
