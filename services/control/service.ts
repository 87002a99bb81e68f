import { randomBytes } from "node:crypto";
import { type Connection, REAL_WAYS, type Ways } from "#connection";
import { addressPolicy, createEgress } from "#egress";
import type { Kafka, Table } from "#kafka";
import type { Logger, ServiceDefinition } from "#runtime";
import { createSecretBox } from "#secrets";
import type { Serde } from "#serde";
import { openStore } from "#state";
import type { RecordTypes, Topic } from "#topics";
import { type ApiParts, openApi } from "./api.ts";
import { openAudiences } from "./audiences/open.ts";
import { countExisting } from "./audiences/resource.ts";
import { createChangeQueue } from "./change-queue.ts";
import { settings } from "./config.ts";
import type { ConfigName } from "./config-store.ts";
import { type ControlContext, connect } from "./connection.ts";
import { openConnectionSyncs } from "./connection-syncs/open.ts";
import { INDEX_FILES, type IndexDisk } from "./delivery-index/database.ts";
import { unreadableDestinations } from "./destinations/unreadable.ts";
import { openHealth } from "./health/open.ts";
import { createIds } from "./ids.ts";
import { openImports } from "./imports/open.ts";
import { openDeliveries } from "./open-deliveries.ts";
import { openStores } from "./open-stores.ts";
import { openProfiles } from "./profiles/open.ts";
import { createDeletedUsers } from "./regulations/deleted-users.ts";
import { openRegulations } from "./regulations/open.ts";
import { openSuppressed } from "./regulations/suppressed.ts";
import { createTelemetry, type Resource, type Telemetry } from "./telemetry.ts";

/** What lies outside the process. */
export interface ControlOutside extends Ways {
  readonly createEgress: typeof createEgress;
  readonly randomBytes: (sizeBytes: number) => Buffer;
  readonly indexDisk: IndexDisk;
  readonly openStore: typeof openStore;
  /** The API's way in; resolves when requests are answered. */
  readonly openApi: typeof openApi;
}

const MACHINE: ControlOutside = {
  ...REAL_WAYS,
  createEgress,
  randomBytes,
  indexDisk: INDEX_FILES,
  openStore,
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
  const { settings, logger, metrics, health, lifecycle, host, nowMs } = context;
  const connection = connect(context, outside);
  const { kafka, serde, topics } = connection;
  const { sourceConfig, destinationConfig, audienceConfig } = topics;
  const egress = outside.createEgress({ allowCidrs: settings.egress.allowCidrs, host });
  lifecycle.onStop("egress", () => egress.close());

  const tables = { serde, kafka, onPoison: (resource: Resource) => telemetry.poisoned(resource), logger };
  const sourceTable = openTable(sourceConfig, "source", tables);
  const destinationTable = openTable(destinationConfig, "destination", tables);
  const audienceTable = openTable(audienceConfig, "audience", tables);
  const telemetry: Telemetry = createTelemetry(metrics, {
    source: () => sourceTable.size,
    destination: () => destinationTable.size,
    audience: () => countExisting(audienceTable, "audience"),
    computed_trait: () => countExisting(audienceTable, "computed_trait"),
  });
  const configuration = [sourceTable, destinationTable, audienceTable];
  health.readiness("configuration is loaded", () => configuration.every(({ loaded }) => loaded));
  await serde.start();
  await Promise.all(configuration.map((table) => table.load()));
  const destination = (id: string) => destinationTable.get(id);
  const secrets = createSecretBox(settings.encryption);
  const unreadable = unreadableDestinations(destinationTable.entries(), secrets, nowMs());
  if (unreadable !== undefined)
    logger.error(unreadable, "destinations have secrets that no configured key opens: they get no call");
  const ids = createIds(outside.randomBytes);
  const stores = await openStores(context, connection, { sourceTable, destinationTable, ids, secrets });
  const { producer, sources, audit, auditLog, requestKeys } = stores;
  const shared = {
    destinations: stores.destinations,
    changes: createChangeQueue(host),
    ...(await jobTopics(connection)),
    egress,
  };
  const regulations = openRegulations(context, { ...connection, ...shared });
  const audiences = await openAudiences(context, { ...connection, ...stores, audienceTable });
  const profiles = openProfiles(context, { ...connection, ...outside, ...audiences });
  const suppressed = openSuppressed(context, connection);
  openConnectionSyncs(context, { ...connection, ...shared, ...audiences, profiles, suppressed });
  const deletedUsers = createDeletedUsers(regulations);
  return {
    ...shared,
    ...openDeliveries(context, {
      ...connection,
      indexDisk: outside.indexDisk,
      destination,
      deletedUsers,
    }),
    health: await openHealth(context, { ...connection, ...shared }),
    regulations,
    ...audiences,
    profiles,
    ...openImports(context, { ...connection, ...audiences, producer, profiles, suppressed }),
    ...{ sources, audit, auditLog, requestKeys },
    secrets,
    delivery: settings.egress,
    addressPolicy: addressPolicy(settings.egress.allowCidrs),
    ids,
    telemetry,
    host,
    nowMs,
  };
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
  readonly serde: Serde;
  readonly logger: Logger;
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
