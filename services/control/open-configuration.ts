// What is configured, as control reads it: sources, destinations, audiences.
import type { Connection } from "#connection";
import type { Kafka, Table } from "#kafka";
import type { Logger } from "#runtime";
import type { SecretBox } from "#secrets";
import type { Serde } from "#serde";
import { type DestinationConfig, type RecordTypes, type Topic, type TopicMap, witnessesOf } from "#topics";
import type { ControlContext } from "./connection.ts";
import type { ConfigName } from "./records/config-store.ts";
import { namedBy } from "./resources/audiences/references.ts";
import { countExisting } from "./resources/audiences/resource.ts";
import { SourceCosts } from "./resources/destinations/source-costs.ts";
import { followUnreadable } from "./resources/destinations/unreadable.ts";
import { createTelemetry, type Resource, type Telemetry } from "./telemetry.ts";

/** Tables of what is configured, which read nothing yet, and what counts those of their records that cannot be read. */
export function openConfiguration({ logger, metrics }: ControlContext, { kafka, serde, topics }: Connection) {
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

/** Resolves when the configuration has been read to its end. */
export async function loadAll(
  { health }: ControlContext,
  { serde }: Connection,
  tables: readonly Pick<Table<unknown>, "load" | "loaded">[],
): Promise<void> {
  health.readiness("configuration is loaded", () => tables.every(({ loaded }) => loaded));
  await serde.start();
  await Promise.all(tables.map((table) => table.load()));
}

/** Counts destinations whose secrets no key opens; names the first one. */
export function watchUnreadable(
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
