import { randomBytes } from "node:crypto";
import { type Connection, REAL_WAYS, type Ways, watchConfiguration } from "#connection";
import { addressPolicy, createEgress } from "#egress";
import type { Kafka, Table } from "#kafka";
import { type Logger, releaseVersion, type ServiceDefinition } from "#runtime";
import { createSecretBox, createSigner, type SecretBox } from "#secrets";
import type { Serde } from "#serde";
import { openStore } from "#state";
import {
  configurationTopics,
  type DestinationConfig,
  type RecordTypes,
  type Topic,
  type TopicMap,
  witnessesOf,
} from "#topics";
import { type ApiParts, openApi } from "./api.ts";
import { settings } from "./config.ts";
import { type ControlContext, connect } from "./connection.ts";
import { watchBacklog } from "./deliveries/backlog-watch.ts";
import { openHealth } from "./deliveries/health/open.ts";
import { INDEX_FILES, type IndexDisk } from "./deliveries/index/database.ts";
import { createSessions } from "./http/sessions.ts";
import { createIds } from "./ids.ts";
import { openConnectionSyncs } from "./jobs/connection-syncs/open.ts";
import { openImports } from "./jobs/imports/open.ts";
import { openRegulations } from "./jobs/regulations/open.ts";
import { openDeliveries } from "./open-deliveries.ts";
import { openStores } from "./open-stores.ts";
import { openBreakers } from "./records/breakers/open.ts";
import { createChangeQueue } from "./records/change-queue.ts";
import type { ConfigName } from "./records/config-store.ts";
import { openProfiles } from "./records/profiles/open.ts";
import { Slices } from "./records/profiles/slices.ts";
import { openSuppressed } from "./records/suppressions/suppressed.ts";
import { openAudiences } from "./resources/audiences/open.ts";
import { namedBy } from "./resources/audiences/references.ts";
import { countExisting } from "./resources/audiences/resource.ts";
import { SourceCosts } from "./resources/destinations/source-costs.ts";
import { followUnreadable } from "./resources/destinations/unreadable.ts";
import { createDeletedUsers } from "./resources/regulations/deleted-users.ts";
import { createTelemetry, type Resource, type Telemetry } from "./telemetry.ts";

/** What lies outside the process. */
export interface ControlOutside extends Ways {
  readonly createEgress: typeof createEgress;
  readonly randomBytes: (sizeBytes: number) => Buffer;
  readonly indexDisk: IndexDisk;
  readonly openStore: typeof openStore;
  /** Looks at topics and groups beside the work of the process. */
  readonly watch: typeof watch;
  /** The API's way in; resolves when requests are answered. */
  readonly openApi: typeof openApi;
}

const MACHINE: ControlOutside = {
  ...REAL_WAYS,
  createEgress,
  randomBytes,
  indexDisk: INDEX_FILES,
  openStore,
  watch,
  openApi,
};

/** The service in the world that `outside` leads to. It owns no data: configuration in, configuration and what became of calls out. */
export function createControl(outside: ControlOutside): ServiceDefinition<typeof settings> {
  return {
    name: "control",
    settings,
    async start(context) {
      return outside.openApi(context, await openParts(context, outside));
    },
  };
}

/** The control API (contract 10). */
export const control = createControl(MACHINE);

/** Opens everything that the routes work with; resolves when the configuration has been read to its end. */
async function openParts(context: ControlContext, outside: ControlOutside): Promise<ApiParts> {
  const { settings, health, lifecycle, host, nowMs } = context;
  const connection = connect(context, outside);
  const { serde } = connection;
  const egress = outside.createEgress({ allowCidrs: settings.egress.allowCidrs, host });
  lifecycle.onStop("egress", () => egress.close());

  const { telemetry, sourceCosts, ...tables } = openConfiguration(context, connection);
  const { sourceTable, destinationTable, audienceTable } = tables;
  const configuration = Object.values(tables);
  outside.watch(context, connection);
  health.readiness("configuration is loaded", () => configuration.every(({ loaded }) => loaded));
  await serde.start();
  await Promise.all(configuration.map((table) => table.load()));
  const destination = (id: string) => destinationTable.get(id);
  const secrets = createSecretBox(settings.encryption);
  watchUnreadable(context, destinationTable, secrets);
  const ids = createIds(outside.randomBytes);
  const stores = await openStores(context, connection, { sourceTable, destinationTable, ids, secrets });
  const { producer, sources, audit, auditLog, requestKeys, retryRequests } = stores;
  const shared = {
    destinations: stores.destinations,
    changes: createChangeQueue(host, { stores: [sources, stores.destinations] }),
    ...(await jobTopics(connection)),
    egress,
  };
  const suppressed = openSuppressed(context, connection);
  const regulations = openRegulations(context, { ...connection, ...shared, suppressed });
  const audiences = await openAudiences(context, { ...connection, ...stores, audienceTable });
  const profiles = openProfiles(context, { ...connection, ...outside, ...audiences, suppressed });
  openConnectionSyncs(context, { ...connection, ...shared, ...audiences, profiles, suppressed });
  const deletedUsers = createDeletedUsers(regulations);
  const breakers = await openBreakers(context, connection);
  return {
    ...shared,
    ...openDeliveries(context, {
      ...connection,
      indexDisk: outside.indexDisk,
      destination,
      deletedUsers,
      breakers,
    }),
    health: await openHealth(context, { ...connection, ...shared, destinationTable }),
    breakers,
    regulations,
    deletedUsers,
    suppressed,
    ...audiences,
    profiles,
    slices: new Slices(host),
    ...openImports(context, { ...connection, ...audiences, producer, profiles, suppressed }),
    ...{ sources, sourceCosts, audit, auditLog, requestKeys, retryRequests },
    secrets,
    ...accessParts(context),
    delivery: settings.egress,
    addressPolicy: addressPolicy(settings.egress.allowCidrs),
    ids,
    telemetry,
    host,
    nowMs,
  };
}

/** Who asks, and what is answered. */
function accessParts({ host, nowMs, settings }: ControlContext) {
  const signer = createSigner(settings.encryption, "session");
  return {
    sessions: createSessions({ signer, nowMs, newId: () => host.uuid() }),
    installation: {
      version: releaseVersion(),
      hasAudiences: settings.switch.hasAudiences,
      maxRows: settings.index.maxRows,
    },
  };
}

function watch(context: ControlContext, connection: Connection): void {
  watchConfiguration(context, connection, configurationTopics(connection.topics));
  watchBacklog(context, connection);
}

function watchUnreadable(
  { logger, metrics, nowMs }: ControlContext,
  table: Table<DestinationConfig>,
  secrets: SecretBox,
): void {
  const unreadable = followUnreadable(table, secrets, nowMs);
  metrics.gauge({
    name: "control_unreadable_destinations",
    help: "Destinations with secrets that no configured encryption key opens: they get no call.",
    collect: (gauge) => gauge.set({}, unreadable.size),
  });
  const [found] = unreadable;
  if (found === undefined) return;
  const facts = { destinations: unreadable.size, first: found[0], error: found[1] };
  logger.error(facts, "destinations have secrets that no configured key opens: they get no call");
}

/** Tables of what is configured, which read nothing yet, and what counts those of their records that cannot be read. */
function openConfiguration({ logger, metrics }: ControlContext, { kafka, serde, topics }: Connection) {
  const { sourceConfig, destinationConfig, audienceConfig } = topics;
  const tables = {
    serde,
    kafka,
    topics,
    onPoison: (resource: Resource) => telemetry.poisoned(resource),
    logger,
  };
  const sourceTable = openTable(sourceConfig, "source", tables);
  const destinationTable = openTable(destinationConfig, "destination", tables);
  const audienceTable = openTable(audienceConfig, "audience", tables);
  audienceTable.onChange((_, config) => void (config && namedBy(config)));
  const telemetry: Telemetry = createTelemetry(metrics, {
    source: () => sourceTable.size,
    destination: () => destinationTable.size,
    audience: () => countExisting(audienceTable, "audience"),
    computed_trait: () => countExisting(audienceTable, "computed_trait"),
  });
  const sourceCosts = new SourceCosts();
  destinationTable.onChange((_, after, before) => sourceCosts.apply(after, before));
  return { sourceTable, destinationTable, audienceTable, telemetry, sourceCosts };
}

/** What of the topics of jobs decides which options a destination may have. */
async function jobTopics({ kafka, topics }: Pick<Connection, "kafka" | "topics">) {
  return {
    partitions: await kafka.admin().partitionCount(topics.deliveryJobs.name),
    retryDelaysMs: topics.deliveryRetries.map(({ delayMs }) => delayMs),
  };
}

interface TableParts {
  readonly kafka: Kafka;
  readonly topics: TopicMap;
  readonly serde: Serde;
  readonly logger: Logger;
  readonly onPoison: (resource: Resource) => void;
}

function openTable<R extends ConfigName>(
  topic: Topic<R>,
  resource: Resource,
  { kafka, topics, serde, logger, onPoison }: TableParts,
): Table<RecordTypes[R]> {
  return kafka.table<RecordTypes[R]>({
    topic: topic.name,
    witnesses: witnessesOf(topics, topic),
    // Tombstones are the table's own; a record that is there has a value.
    decode: ({ value }) => serde.decode(topic, value),
    onPoison({ key, partition, offset }, error) {
      onPoison(resource);
      logger.error(
        { err: error, key, partition, offset, topic: topic.name },
        "a configuration record cannot be read",
      );
    },
  });
}
