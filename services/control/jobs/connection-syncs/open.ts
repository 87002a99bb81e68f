import { ownerOf } from "#audiences";
import { isRestoreMark } from "#kafka";
import { failUnlessStopping, type ServiceContext } from "#runtime";
import type { AudienceConfig, ConnectionSync, DestinationConfig } from "#topics";
import { type ConfigStore, createConfigStore } from "../../records/config-store.ts";
import type { OwningParts } from "../../records/durable-work/owned-work.ts";
import { WorkOwner } from "../../records/durable-work/owner.ts";
import { Pace } from "../../records/durable-work/pace.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import { createJobLog } from "./job-log.ts";
import { LeftDestinations } from "./left.ts";
import { givenAs, jobKeyOf, sentAs, syncJob } from "./records.ts";
import { createSyncStore } from "./store.ts";
import type { SyncWork } from "./sync-work.ts";
import { workOn } from "./worker.ts";

export interface OpenSyncsParts extends OwningParts {
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "get" | "refresh">;
  readonly audiences: Pick<ConfigStore<AudienceConfig>, "get" | "refresh">;
  readonly profiles: ProfileReader;
  readonly suppressed: { refresh(): Promise<void>; isSuppressed(userId: string): boolean };
}

interface SyncSettings {
  readonly connectionSyncs: { readonly callsPerSecond: number };
  readonly switch: { readonly hasAudiences: boolean };
}

type Context = Pick<
  ServiceContext<SyncSettings>,
  "settings" | "lifecycle" | "health" | "logger" | "metrics" | "host" | "nowMs"
>;

/** Each configured destination is a record, held until it has its members. */
const MAX_OUTSTANDING = { records: 10_000, bytes: 64 * 1024 * 1024 };

/** How far a sync is asks Kafka up to four times to be noted. One that is given up is tried again. */
const NOTING_TIMEOUT_MS = 10_000;

/** Takes part in giving members to destinations that are connected later, where there are audiences; the API does not wait for it. */
export function openConnectionSyncs(context: Context, parts: OpenSyncsParts): void {
  if (context.settings.switch.hasAudiences) syncConnections(context, parts);
}

function syncConnections(context: Context, parts: OpenSyncsParts): void {
  const { health, host, lifecycle, logger } = context;
  const { kafka, serde, topics } = parts;
  const topic = topics.connectionSyncs;
  const table = kafka.table<ConnectionSync>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
  });
  health.readiness("connections of destinations are read", () => table.loaded);
  table.load().catch(failUnlessStopping(lifecycle));
  const producer = kafka.durableProducer();
  const store = createSyncStore(
    createConfigStore({ topic, table, producer, serde }),
    kafka.tableWriter({ topic: topic.name, table, timeoutMs: NOTING_TIMEOUT_MS }),
  );
  const left = new LeftDestinations();
  const work = workOf(context, parts, { store, left });
  const owner = new WorkOwner<DestinationConfig>({
    isOpen: () => true,
    host,
    producer,
    async work(id, { signal, write }) {
      const read = [store, parts.destinations, parts.audiences, parts.suppressed];
      await Promise.all(read.map((one) => one.refresh()));
      await workOn(id, { ...work, write }, signal);
    },
    onFailed: (destinationId, error) =>
      logger.warn({ destinationId, err: error }, "members cannot be given to a destination yet"),
  });
  parts.ownedWork.add({
    topics: [topics.destinationConfig.name],
    decode: (record) =>
      record.value === null || isRestoreMark(record)
        ? undefined
        : serde.decode(topics.destinationConfig, record.value),
    step(record, settle, claim) {
      left.observe(record);
      owner.step(record, settle, claim);
    },
    deadLetter: () => [],
    // A version that was read behind one that is worked on is known to this process alone.
    stepsDoneAgain: true,
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    onRevoked: (partitions) => owner.revoked(partitions),
    end: () => owner.stop(),
  });
}

interface Working {
  readonly store: SyncWork["store"];
  readonly left: LeftDestinations;
}

function workOf(
  { host, logger, metrics, nowMs, settings }: Context,
  { audiences, destinations, kafka, profiles, serde, suppressed, topics }: OpenSyncsParts,
  { store, left }: Working,
): Omit<SyncWork, "write"> {
  const written = metrics.counter({
    name: "control_connection_sync_calls_total",
    help: "Identify calls written for destinations connected later.",
  });
  const records = { serde, topic: topics.deliveryJobs, nowMs };
  return {
    store,
    destination: (id) => destinations.get(id),
    left: (id) => left.of(id),
    audience: (id) => audiences.get(id),
    profiles,
    isSuppressed(profileId) {
      const owner = ownerOf(profileId);
      return "userId" in owner && suppressed.isSuppressed(owner.userId);
    },
    jobs: createJobLog({ kafka, admin: kafka.admin(), serde, topic: topics.deliveryJobs }),
    sentAs,
    givenAs,
    keyOf: jobKeyOf,
    jobOf: (value, to) => syncJob(records, value, to),
    onWritten: (count) => written.inc({}, count),
    onDone: ({ id, sent }) =>
      logger.info({ destinationId: id, values: sent }, "a destination has what audiences had for it"),
    pace: new Pace(settings.connectionSyncs.callsPerSecond, host),
    host,
    nowMs,
  };
}
