// Sources and destinations as the API changes them: each change in its turn, in the audit log, and once for each Idempotency-Key.
import type { Connection } from "#connection";
import type { Producer, Table, TableWriter, TableWriterOptions } from "#kafka";
import type { SecretBox } from "#secrets";
import type { DestinationConfig, SourceConfig } from "#topics";
import type { ControlContext } from "./connection.ts";
import { type Audit, createAudit } from "./http/audit/audit.ts";
import { type OpenedKeys, openRequestKeys } from "./http/request-keys/open.ts";
import type { Ids } from "./ids.ts";
import { createConfigStore } from "./records/config-store.ts";
import { createEditedStore, type EditedStore } from "./records/edited-store.ts";
import { withListing } from "./records/listing.ts";
import type { DestinationListing } from "./resources/destinations/configured.ts";
import { destinationView } from "./resources/destinations/destination.ts";
import { openRetryRequests, type RetryRequests } from "./resources/destinations/retry-requests.ts";
import type { SourceListing } from "./resources/sources/configured.ts";
import { type FormerKeys, openFormerKeys } from "./resources/sources/former-keys.ts";
import { sourceView } from "./resources/sources/source.ts";

/** A change that Kafka has not acknowledged by then is answered with 503: a person or program is waiting. */
const DELIVERY_TIMEOUT_MS = 5_000;
/** An edit asks Kafka up to four times; nobody knows what became of one that is given up, so it has longer. */
const EDIT_TIMEOUT_MS = 10_000;

interface StoreTables {
  readonly sourceTable: Followed<SourceConfig>;
  readonly sourceListing: SourceListing;
  readonly destinationTable: Followed<DestinationConfig>;
  readonly destinationListing: DestinationListing;
  readonly ids: Pick<Ids, "newAuditId" | "newRetryId">;
  readonly secrets: SecretBox;
}

type Followed<V> = Pick<Table<V>, "get" | "load" | "look" | "openWriters" | "size" | "until">;

interface Stores {
  readonly requestKeys: OpenedKeys;
  readonly producer: Producer;
  /** Of what is edited. */
  readonly writerOf: (topic: { readonly name: string }, table: TableWriterOptions["table"]) => TableWriter;
  readonly audit: Audit;
  readonly retryRequests: RetryRequests;
  readonly formerKeys: FormerKeys;
  readonly sources: EditedStore<SourceConfig> & SourceListing;
  readonly destinations: EditedStore<DestinationConfig> & DestinationListing;
}

/** Resolves when the Idempotency-Keys of other processes are known, and what ingest has said of former keys. */
export async function openStores(
  context: ControlContext,
  connection: Connection,
  { sourceTable, destinationTable, ids, secrets, ...listings }: StoreTables,
): Promise<Stores> {
  const { nowMs } = context;
  const { kafka, serde, topics } = connection;
  const producer = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const written = { producer, serde };
  const [requestKeys, retryRequests, formerKeys] = await Promise.all([
    openRequestKeys(context, { ...connection, producer, secrets }),
    openRetryRequests(context, { ...connection, producer, ids }),
    openFormerKeys(context, connection),
  ]);
  const writerOf: Stores["writerOf"] = ({ name }, table) =>
    kafka.tableWriter({ topic: name, table, timeoutMs: EDIT_TIMEOUT_MS });
  const sourceWriter = writerOf(topics.sourceConfig, sourceTable);
  await markWithoutSources(context, sourceTable, sourceWriter);
  const audit = createAudit({ topic: topics.auditLog, ...written, ids, nowMs });
  const sources = {
    store: createConfigStore({ topic: topics.sourceConfig, table: sourceTable, ...written }),
    audit,
    resourceOf: () => "source" as const,
    show: sourceView,
  };
  const destinations = {
    store: createConfigStore({ topic: topics.destinationConfig, table: destinationTable, ...written }),
    audit,
    resourceOf: () => "destination" as const,
    show: (value: DestinationConfig) => destinationView(value, nowMs()),
  };
  return {
    ...{ producer, writerOf, audit, requestKeys, retryRequests, formerKeys },
    sources: withListing(createEditedStore(sources, sourceWriter), listings.sourceListing),
    destinations: withListing(
      createEditedStore(destinations, writerOf(topics.destinationConfig, destinationTable)),
      listings.destinationListing,
    ),
  };
}

/**
 * Calls show that there were sources (decision 118), but audiences make calls of their own. With a writer's mark from the first start
 * on, the topic of a deployment that never had a source is not taken for one that has lost them. The next start tries again.
 */
async function markWithoutSources(
  { logger }: ControlContext,
  { size }: Pick<Table<SourceConfig>, "size">,
  writer: TableWriter,
): Promise<void> {
  if (size > 0) return;
  try {
    await writer.take("");
  } catch (error) {
    logger.debug({ err: error }, "the topic of sources has no mark yet");
  }
}
