// What is configured, as control reads it: sources, destinations, audiences.
import type { Connection } from "#connection";
import type { Kafka, Table, TableOptions } from "#kafka";
import { type Logger, watchTables } from "#runtime";
import type { SecretBox } from "#secrets";
import type { Serde } from "#serde";
import { type RecordTypes, type Topic, type TopicMap, witnessesOf } from "#topics";
import type { ControlContext } from "./connection.ts";
import type { ConfigName } from "./records/config-store.ts";
import type { Listing } from "./records/listing.ts";
import type { Slices } from "./records/profiles/slices.ts";
import { namedBy } from "./resources/audiences/references.ts";
import { countExisting } from "./resources/audiences/resource.ts";
import { configuredDestinations, ofSource } from "./resources/destinations/configured.ts";
import { SourceCosts } from "./resources/destinations/source-costs.ts";
import { followUnreadable } from "./resources/destinations/unreadable.ts";
import { configuredSources } from "./resources/sources/configured.ts";
import { createTelemetry, type Resource, type Telemetry } from "./telemetry.ts";

/** Tables of what is configured, which read nothing yet, and what counts those of their records that cannot be read. */
export function openConfiguration(
  { logger, metrics }: ControlContext,
  { kafka, serde, slices, topics }: Connection & { readonly slices: Slices },
) {
  const { sourceConfig, destinationConfig, audienceConfig } = topics;
  const tables = {
    serde,
    kafka,
    topics,
    onPoison: (resource: Resource) => telemetry.poisoned(resource),
    logger,
  };
  const sourceList = configuredSources({ serde, slices, topic: sourceConfig });
  const sourceTable = openTable(sourceConfig, "source", {
    ...tables,
    values: sourceList.values,
    decodeForListeners: ({ value }) => sourceList.told(value),
  });
  const destinationList = configuredDestinations({ serde, slices, topic: destinationConfig });
  const destinationTable = openTable(destinationConfig, "destination", {
    ...tables,
    values: destinationList.values,
    decodeForListeners: ({ value }) => destinationList.told(value),
  });
  const audienceTable = openTable(audienceConfig, "audience", tables);
  const followed = { "source-config": sourceTable, "destination-config": destinationTable };
  watchTables(metrics, { ...followed, "audience-config": audienceTable });
  audienceTable.onChange((_, config) => void (config && namedBy(config)));
  const telemetry: Telemetry = createTelemetry(metrics, {
    source: () => sourceTable.size,
    destination: () => destinationTable.size,
    audience: () => countExisting(audienceTable, "audience"),
    computed_trait: () => countExisting(audienceTable, "computed_trait"),
  });
  const sourceCosts = new SourceCosts((sourceId) => countOf(destinationList.values, ofSource(sourceId)));
  destinationTable.onChange((_, after, before) => sourceCosts.apply(after, before));
  const [sourceListing, destinationListing] = [sourceList.values, destinationList.values];
  return {
    ...{ sourceTable, destinationTable, audienceTable },
    ...{ sourceListing, destinationListing, telemetry, sourceCosts },
  };
}

/** A source may have this many by far: behind it they are counted one by one. */
const COUNTED_AT_MOST = 900;

function countOf(all: Pick<Listing<unknown, unknown>, "countIn" | "in">, group: string): number {
  const most = all.countIn(group);
  return most < COUNTED_AT_MOST ? most : all.in(group).length;
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

/** Counts destinations whose secrets no key opens; names one of them. */
export function watchUnreadable(
  { lifecycle, logger, metrics, nowMs }: ControlContext,
  { destinationListing, destinationTable }: Pick<Configured, "destinationListing" | "destinationTable">,
  secrets: SecretBox,
): void {
  const { errorOf, ids, judged } = followUnreadable({
    ...{ listing: destinationListing, table: destinationTable, box: secrets, nowMs },
    signal: lifecycle.stopping,
  });
  metrics.gauge({
    name: "control_unreadable_destinations",
    help: "Destinations with secrets that no encryption key opens: they get no call.",
    collect: (gauge) => gauge.set({}, ids.size),
  });
  judged.then(
    () => {
      const [first] = ids;
      if (first === undefined) return;
      const facts = { destinations: ids.size, first, error: errorOf(first) };
      logger.error(facts, "destinations have secrets that no configured key opens: they get no call");
    },
    (error: unknown) => lifecycle.fail(error),
  );
}

type Configured = ReturnType<typeof openConfiguration>;

interface TableParts<V extends L, L> extends Pick<TableOptions<V, L>, "decodeForListeners" | "values"> {
  readonly kafka: Kafka;
  readonly topics: TopicMap;
  readonly serde: Serde;
  readonly logger: Logger;
  readonly onPoison: (resource: Resource) => void;
}

function openTable<R extends ConfigName, L = RecordTypes[R]>(
  topic: Topic<R>,
  resource: Resource,
  { kafka, topics, serde, logger, onPoison, ...kept }: TableParts<RecordTypes[R] & L, L>,
): Table<RecordTypes[R] & L, L> {
  return kafka.table<RecordTypes[R] & L, L>({
    topic: topic.name,
    witnesses: witnessesOf(topics, topic),
    // Tombstones are the table's own; a record that is there has a value.
    decode: ({ value }) => serde.decode(topic, value) as RecordTypes[R] & L,
    onPoison({ key, partition, offset }, error) {
      onPoison(resource);
      logger.error(
        { err: error, key, partition, offset, topic: topic.name },
        "a configuration record cannot be read",
      );
    },
    ...kept,
  });
}
