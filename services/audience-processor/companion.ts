// What works beside the events of a partition, wired: the log that is read again, first syncs, and the pass over unused anonymous ids.
import { atPartition, type Runner } from "#kafka";
import { Backfills, type BackfillsParts } from "./computations/backfills.ts";
import { FirstSync, type FirstSyncParts } from "./computations/first-sync.ts";
import type { LeafRegistry } from "./computations/leaf-registry.ts";
import { Pace } from "./computations/pace.ts";
import type { PartitionComputations } from "./computations/partition-computations.ts";
import type { Progress } from "./computations/progress.ts";
import type { Parts } from "./parts.ts";
import { eventDecoder } from "./profiles/event.ts";
import { ExpiryPass, type ExpiryPassParts } from "./profiles/expiry-pass.ts";
import type { PartitionWorker } from "./profiles/partition-worker.ts";
import { SideBySide } from "./side-by-side.ts";
import type { Telemetry } from "./telemetry.ts";
import type { TurnTime } from "./turn-time.ts";

/** Partitions whose logs are read again at a time: each takes up to 20 MB, and all together no more events a second than one. */
const READ_AT_A_TIME = 4;

/** What the partitions share. */
interface CompanionParts {
  readonly parts: Parts;
  readonly progress: Progress;
  readonly turnTime: TurnTime;
}

/** What a partition counts, and since when. */
export interface OfPartition {
  readonly partition: number;
  readonly registry: LeafRegistry;
  readonly computations: PartitionComputations;
  readonly telemetry: Telemetry;
}

/** How fast first syncs may go, over all partitions of the process. */
export function pacesOf({ context }: Parts) {
  const { host, settings } = context;
  const readings = new SideBySide(READ_AT_A_TIME);
  return {
    identifies: new Pace(settings.audiences.syncPerSecond, host),
    events: new Pace(settings.pace.backfillPerSecond, host),
    inTurn: (work: () => Promise<void>) => readings.run(work),
  };
}

type Paces = ReturnType<typeof pacesOf>;

/** What works beside the events of a partition: the log is read again, then profiles are evaluated. */
export function companionOf(
  { parts, progress, turnTime }: CompanionParts,
  { computations, partition, registry, telemetry }: OfPartition,
  {
    paces,
    runner,
    signal,
    worker,
  }: { worker: PartitionWorker; signal: AbortSignal; paces: Paces; runner: Runner },
) {
  const { connection, context } = parts;
  const { kafka, serde, topics } = connection;
  const { host, logger } = context;
  const place = { topic: topics.profileEvents.name, partition };
  const shared: Pick<
    FirstSyncParts & BackfillsParts,
    "worker" | "computations" | "registry" | "progressOf" | "progressChanges" | "reportDurably" | "onChanged"
  > = {
    worker,
    computations,
    registry,
    progressOf: (id) => progress.of(id, partition),
    progressChanges: () => progress.changes,
    reportDurably: (all) => progress.reportDurably(all),
    onChanged: (values) => telemetry.changed("configuration", values),
  };
  const backfills = new Backfills({
    ...shared,
    ...place,
    kafka,
    admin: kafka.admin(),
    host,
    signal,
    pace: paces.events,
    turnTime,
    inTurn: paces.inTurn,
    decode: eventDecoder(serde, topics),
    writeAhead: (all) => progress.writeAhead(all),
    onError: (error) =>
      logger.warn({ partition, err: error }, "the log could not be read again; it is tried again"),
  });
  const firstSync = new FirstSync({
    ...shared,
    partition,
    pace: paces.identifies,
    host,
    nowMs: () => host.now(),
    position: () => runner.position(place) ?? 0,
    report: (one) => progress.report(one),
  });
  const expiry = expiryOf(parts, { worker, computations, telemetry, partition });
  return {
    advance() {
      backfills.advance();
      firstSync.advance();
      expiry.advance();
    },
  };
}

/** The pass over unused anonymous ids. */
function expiryOf(
  { connection, context }: Parts,
  {
    partition,
    ...ofPartition
  }: Pick<ExpiryPassParts, "worker" | "computations" | "telemetry"> & { partition: number },
): ExpiryPass {
  const { kafka, profilesGroup, topics } = connection;
  const admin = kafka.admin();
  const { name } = topics.profileEvents;
  return new ExpiryPass({
    ...ofPartition,
    retentionMs: context.settings.audiences.anonymousRetentionMs,
    host: context.host,
    async bounds() {
      const [committed, all] = await Promise.all([
        admin.committedOffsets(profilesGroup, name),
        admin.offsets(name, partition),
      ]);
      return { committedTo: committed.get(partition) ?? 0, logStart: atPartition(all, partition).low };
    },
    onError: (error) =>
      context.logger.debug({ partition, err: error }, "the pass over unused anonymous ids begins later"),
  });
}
