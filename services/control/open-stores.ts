// Sources and destinations as the API changes them: each change in its turn, and in the audit log.
import type { Connection } from "#connection";
import type { Producer, Table } from "#kafka";
import type { DestinationConfig, SourceConfig } from "#topics";
import { type Audit, createAudit } from "./audit/audit.ts";
import { createConfigStore } from "./config-store.ts";
import type { ControlContext } from "./connection.ts";
import { destinationView } from "./destinations/destination.ts";
import { createEditedStore, type EditedStore, type LockParts } from "./edits/edited-store.ts";
import { openEditLocks } from "./edits/open.ts";
import type { Ids } from "./ids.ts";
import { sourceView } from "./sources/source.ts";

/** A change that Kafka has not acknowledged by then is answered with 503: a person or program is waiting. */
const DELIVERY_TIMEOUT_MS = 5_000;

interface StoreTables {
  readonly sourceTable: Table<SourceConfig>;
  readonly destinationTable: Table<DestinationConfig>;
  readonly ids: Pick<Ids, "newAuditId">;
}

interface Stores {
  readonly producer: Producer;
  readonly locks: LockParts;
  readonly audit: Audit;
  readonly sources: EditedStore<SourceConfig>;
  readonly destinations: EditedStore<DestinationConfig>;
}

/** Resolves when the edit locks of other processes are known. */
export async function openStores(
  context: ControlContext,
  { kafka, serde, topics }: Connection,
  { sourceTable, destinationTable, ids }: StoreTables,
): Promise<Stores> {
  const { nowMs } = context;
  const producer = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const written = { producer, serde };
  const locks = await openEditLocks(context, { kafka, topics, ...written });
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
    ...{ producer, locks, audit },
    sources: createEditedStore(sources, locks),
    destinations: createEditedStore(destinations, locks),
  };
}
