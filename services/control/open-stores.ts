// Sources and destinations as the API changes them: each change in its turn, in the audit log, and once for each Idempotency-Key.
import type { Connection } from "#connection";
import type { Producer, Table } from "#kafka";
import type { SecretBox } from "#secrets";
import type { DestinationConfig, SourceConfig } from "#topics";
import { type Audit, createAudit } from "./audit/audit.ts";
import { openAuditLog } from "./audit/open.ts";
import type { AuditLog } from "./audit/parts.ts";
import { createConfigStore } from "./config-store.ts";
import type { ControlContext } from "./connection.ts";
import { destinationView } from "./destinations/destination.ts";
import { createEditedStore, type EditedStore, type LockParts } from "./edits/edited-store.ts";
import { openEditLocks } from "./edits/open.ts";
import type { Ids } from "./ids.ts";
import type { RequestKeyParts } from "./request-keys/hooks.ts";
import { openRequestKeys } from "./request-keys/open.ts";
import { sourceView } from "./sources/source.ts";

/** A change that Kafka has not acknowledged by then is answered with 503: a person or program is waiting. */
const DELIVERY_TIMEOUT_MS = 5_000;

interface StoreTables {
  readonly sourceTable: Table<SourceConfig>;
  readonly destinationTable: Table<DestinationConfig>;
  readonly ids: Pick<Ids, "newAuditId">;
  readonly secrets: SecretBox;
}

interface Stores extends RequestKeyParts {
  readonly producer: Producer;
  readonly locks: LockParts;
  readonly audit: Audit;
  readonly auditLog: AuditLog;
  readonly sources: EditedStore<SourceConfig>;
  readonly destinations: EditedStore<DestinationConfig>;
}

/** Resolves when the edit locks of other processes are known, and their Idempotency-Keys. */
export async function openStores(
  context: ControlContext,
  connection: Connection,
  { sourceTable, destinationTable, ids, secrets }: StoreTables,
): Promise<Stores> {
  const { nowMs } = context;
  const { kafka, serde, topics } = connection;
  const producer = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const written = { producer, serde };
  const auditLog = openAuditLog(context, connection);
  const [locks, requestKeys] = await Promise.all([
    openEditLocks(context, { kafka, topics, ...written }),
    openRequestKeys(context, { ...connection, producer, secrets, auditLog }),
  ]);
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
    ...{ producer, locks, audit, auditLog, requestKeys },
    sources: createEditedStore(sources, locks),
    destinations: createEditedStore(destinations, locks),
  };
}
