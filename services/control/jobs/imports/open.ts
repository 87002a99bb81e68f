import type { Producer, Table } from "#kafka";
import { failUnlessStopping, type ServiceContext, watchNumbers } from "#runtime";
import { type AudienceConfig, consumerGroups, type MembershipImport } from "#topics";
import type { ConfigStore } from "../../records/config-store.ts";
import type { OwningParts } from "../../records/durable-work/owned-work.ts";
import { WorkOwner } from "../../records/durable-work/owner.ts";
import { Pace } from "../../records/durable-work/pace.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import type { Suppressed } from "../../records/suppressions/suppressed.ts";
import { listEvent } from "./differences.ts";
import { oldestHeldMs } from "./held.ts";
import type { ImportParts } from "./parts.ts";
import { createImportQueue, type ImportQueue } from "./queue.ts";
import { ComparisonRoom } from "./room.ts";
import { createStagedRows, type StagedRows } from "./staged-rows.ts";
import { untilFolded } from "./up-to-date.ts";
import { type ImportWork, workOn } from "./worker.ts";

export interface OpenImportsParts extends OwningParts {
  readonly producer: Producer;
  readonly audiences: Pick<ConfigStore<AudienceConfig>, "get" | "refresh">;
  readonly profiles: ProfileReader;
  readonly suppressed: Suppressed;
}

interface ImportsSettings {
  readonly topics: { readonly prefix: string };
  readonly imports: { readonly changesPerSecond: number };
  readonly switch: { readonly hasAudiences: boolean };
}

type Context = Pick<
  ServiceContext<ImportsSettings>,
  "settings" | "lifecycle" | "health" | "logger" | "metrics" | "host" | "nowMs"
>;

const MILLISECONDS_A_SECOND = 1_000;
const MAX_OUTSTANDING = { records: 10_000, bytes: 16 * 1024 * 1024 };

/** Takes part in applying imports; the API does not wait for it. */
export function openImports(
  context: Context,
  parts: OpenImportsParts,
): Pick<ImportParts, "imports" | "stagedRows"> {
  const { kafka, producer, serde, topics } = parts;
  const topic = topics.membershipImports;
  const table = kafka.table<MembershipImport>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
  });
  const rows = { kafka, admin: kafka.admin(), serde, topic: topics.membershipImportRows };
  if (context.settings.switch.hasAudiences) {
    context.health.readiness("imports are read", () => table.loaded);
    table.load().catch(failUnlessStopping(context.lifecycle));
    const durable = kafka.durableProducer();
    own(context, parts, {
      table,
      producer: durable,
      queue: createImportQueue({ topic, table, producer: durable, serde }),
      stagedRows: createStagedRows({ ...rows, producer: durable }),
    });
  }
  return {
    imports: createImportQueue({ topic, table, producer, serde }),
    stagedRows: createStagedRows({ ...rows, producer }),
  };
}

interface Working {
  readonly table: Table<MembershipImport>;
  readonly producer: Producer;
  readonly queue: ImportQueue;
  readonly stagedRows: StagedRows;
}

function own(context: Context, parts: OpenImportsParts, working: Working): void {
  const { host, logger, metrics } = context;
  const work = workOf(context, parts, working);
  const owner = new WorkOwner<MembershipImport>({
    isOpen: ({ state }) => state === "staged",
    host,
    producer: working.producer,
    async work(id, { signal, write }) {
      // To the end: another process may have come further, a list may be deleted, a user suppressed.
      await Promise.all([working.table.load(), parts.suppressed.refresh(), parts.audiences.refresh()]);
      await workOn(id, { ...work, write }, signal);
    },
    onFailed: (importId, error) => logger.warn({ importId, err: error }, "an import cannot go on yet"),
  });
  const { membershipImports } = parts.topics;
  parts.ownedWork.add({
    topics: [membershipImports.name],
    decode: ({ value }) => (value === null ? undefined : parts.serde.decode(membershipImports, value)),
    step: owner.step,
    deadLetter({ key }, error) {
      logger.error({ importId: key, err: error }, "an import cannot be read");
      return [];
    },
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    onRevoked: (partitions) => owner.revoked(partitions),
    end: () => owner.stop(),
  });
  watchNumbers(metrics, () => owner, {
    control_imports_open: ["Imports of members that this process works on.", ({ running }) => running],
    control_imports_oldest_held_timestamp_seconds: [
      "Since when the oldest import waits for its confirmation; 0 while none does. Not of deleted lists, nor of those with a later import applied.",
      () => (oldestHeldMs(working.table.entries(), work.isThere) ?? 0) / MILLISECONDS_A_SECOND,
    ],
  });
}

function workOf(
  { host, metrics, nowMs, settings }: Context,
  { audiences, kafka, profiles, serde, suppressed, topics }: OpenImportsParts,
  { queue, stagedRows }: Working,
): Omit<ImportWork, "write"> {
  const written = metrics.counter({
    name: "control_import_changes_total",
    help: "Users whom imports put on a list or took off.",
  });
  const folded = {
    admin: kafka.admin(),
    groupId: consumerGroups(settings.topics.prefix).profiles.id,
    topic: topics.profileEvents.name,
    host,
  };
  return {
    queue,
    eachChunk: stagedRows.eachChunk,
    profiles,
    isSuppressed: suppressed.isSuppressed,
    async untilUpToDate(signal) {
      await untilFolded(folded, signal);
      await profiles.refresh(signal);
    },
    isThere: (id) => audiences.get(id)?.deletedAtMs === null,
    eventOf: (one, change) => listEvent({ serde, topic: topics.profileEvents }, one, change),
    onWritten: (count) => written.inc({}, count),
    room: new ComparisonRoom(host),
    pace: new Pace(settings.imports.changesPerSecond, host),
    host,
    nowMs,
  };
}
