// The runner on profile events, and the partitions of profiles that it owns.
import { join } from "node:path";
import { noteEveryMs } from "#audiences";
import type { Producer, Runner } from "#kafka";
import { Backfills, type BackfillsParts } from "./computations/backfills.ts";
import type { Computations } from "./computations/computations.ts";
import { FirstSync, type FirstSyncParts } from "./computations/first-sync.ts";
import { LeafRegistry } from "./computations/leaf-registry.ts";
import { Pace } from "./computations/pace.ts";
import { PartitionComputations } from "./computations/partition-computations.ts";
import { isFirstOver } from "./computations/pass-progress.ts";
import type { Progress } from "./computations/progress.ts";
import { SideBySide } from "./computations/side-by-side.ts";
import { expiryOf } from "./expiry.ts";
import { type ProcessorHaste, profileLingerMs } from "./haste.ts";
import { MAX_OUTSTANDING, type Parts } from "./parts.ts";
import { createCodec, type ProfileCodec } from "./profiles/codec.ts";
import { eventDecoder } from "./profiles/event.ts";
import type { PartitionWorker } from "./profiles/partition-worker.ts";
import { ProfilePartitions, type ProfilePartitionsOptions } from "./profiles/profile-partitions.ts";
import type { Sizes } from "./sizes/sizes.ts";
import type { Telemetry } from "./telemetry.ts";
import { TurnTime } from "./turn-time.ts";

const BYTES_A_MEGABYTE = 1024 * 1024;
/** Partitions whose logs are read again at a time: each takes up to 20 MB, and all together no more events a second than one. */
const READ_AT_A_TIME = 4;

/** Members are counted where changes are sent, incomplete profiles where they change. */
function withCounts(telemetry: Telemetry, progress: Progress, partition: number): Telemetry {
  return {
    ...telemetry,
    membersLeft(ids) {
      for (const id of ids) progress.add(id, partition, { members: -1 });
    },
    incomplete(before, now) {
      if (before === now) return;
      telemetry.incomplete(before, now);
      for (const id of now) if (!before.has(id)) progress.add(id, partition, { incompleteProfiles: 1 });
      for (const id of before) if (!now.has(id)) progress.add(id, partition, { incompleteProfiles: -1 });
    },
    sent(flips, nowMs) {
      telemetry.sent(flips, nowMs);
      for (const { computationId, text } of flips)
        if (text === "true" || text === "false")
          progress.add(computationId, partition, { members: text === "true" ? 1 : -1 });
    },
  };
}

type StoreSettings = ProfilePartitionsOptions["store"];

function storeSettings({ connection, context }: Parts, codec: ProfileCodec): StoreSettings {
  const { kafka, topics } = connection;
  const { host, logger } = context;
  return {
    kafka,
    admin: kafka.admin(),
    topic: topics.profiles.name,
    describe: codec.describe,
    now: () => host.now(),
    onDiscarded: (error) => logger.warn({ err: error }, "profiles on disk are not usable; they are restored"),
    onPoison: ({ offset, partition }, error) =>
      logger.error(
        { partition, offset, err: error },
        "a profile cannot be read; what it was before holds on",
      ),
  };
}

/** What the partitions share. */
interface Shared {
  readonly parts: Parts;
  readonly computations: Computations;
  readonly progress: Progress;
  readonly sizes: Sizes;
  readonly producer: Producer;
  readonly codec: ProfileCodec;
  readonly turnTime: TurnTime;
  /** Reads what is configured and how far it is, to their ends. */
  refreshTables(): Promise<unknown>;
}

/** What a partition counts, and since when. */
interface OfPartition {
  readonly partition: number;
  readonly registry: LeafRegistry;
  readonly computations: PartitionComputations;
}

function partitionOf(
  { computations, parts, progress }: Shared,
  partition: number,
  signal: AbortSignal,
): OfPartition {
  const { host } = parts.context;
  const registry = new LeafRegistry({
    partition,
    signal,
    nowMs: () => host.now(),
    progressOf: (id, of) => progress.of(id, of),
    report: (one) => progress.report(one),
    idsOf: (of) => progress.idsOf(of),
  });
  return {
    partition,
    registry,
    computations: new PartitionComputations(computations, {
      coverageOf: registry.coverageOf,
      isFirstOver: (id) => isFirstOver(progress.of(id, partition)),
    }),
  };
}

function workerParts(shared: Shared, { computations, partition }: OfPartition) {
  const { codec, parts, producer, progress, refreshTables, turnTime } = shared;
  const { context, records, telemetry } = parts;
  return {
    codec,
    records,
    computations,
    turnTime,
    noteEveryMs: noteEveryMs(context.settings.audiences.anonymousRetentionMs),
    telemetry: withCounts(telemetry, progress, partition),
    host: context.host,
    send: producer.send.bind(producer),
    refresh: refreshTables,
    onFailed: (error: unknown) => context.lifecycle.fail(error),
    deadLetter(record: Parameters<Telemetry["rejected"]>[0], error: Error) {
      telemetry.rejected(record, error);
      return records.deadLetter(record, error);
    },
  };
}

/** How fast first syncs may go, over all partitions of the process. */
function pacesOf({ context }: Parts) {
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
function companionOf(
  { parts, progress, turnTime }: Shared,
  { computations, partition, registry }: OfPartition,
  {
    paces,
    runner,
    signal,
    worker,
  }: { worker: PartitionWorker; signal: AbortSignal; paces: Paces; runner: Runner },
) {
  const { connection, context, telemetry } = parts;
  const { kafka, serde, topics } = connection;
  const { host, logger } = context;
  const place = { topic: topics.profileEvents.name, partition };
  const shared: Pick<
    FirstSyncParts & BackfillsParts,
    "worker" | "computations" | "registry" | "progressOf" | "reportDurably"
  > = {
    worker,
    computations,
    registry,
    progressOf: (id) => progress.of(id, partition),
    reportDurably: (all) => progress.reportDurably(all),
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
    onChanged: (values) => telemetry.changed("configuration", values),
    onIncomplete: withCounts(telemetry, progress, partition).incomplete,
    report: (one) => progress.report(one),
  });
  const counted = withCounts(telemetry, progress, partition);
  const expiry = expiryOf(parts, { worker, computations, telemetry: counted, partition });
  return {
    advance() {
      backfills.advance();
      firstSync.advance();
      expiry.advance();
    },
  };
}

function createPartitions(shared: Shared, runnerOf: () => Runner): ProfilePartitions {
  const { codec, parts, producer, progress } = shared;
  const { lifecycle, settings } = parts.context;
  const { kafka, profilesGroup, topics } = parts.connection;
  const { profileEvents, profiles } = topics;
  const admin = kafka.admin();
  const placeOf = (partition: number) => ({ topic: profileEvents.name, partition });
  const paces = pacesOf(parts);
  return new ProfilePartitions({
    directory: join(settings.data.dataDir, "audience-processor", profiles.name),
    openStore: parts.openStore,
    roomBytes: settings.audiences.profileMegabytes * BYTES_A_MEGABYTE,
    store: storeSettings(parts, codec),
    // What the last owner has written of its leaves has to be known before the first event.
    prepare: () => shared.refreshTables(),
    openSizes: (taken) => shared.sizes.open(taken),
    begin(partition, signal, workOn) {
      const own = partitionOf(shared, partition, signal);
      const worker = workOn(workerParts(shared, own));
      return companionOf(shared, own, { worker, signal, paces, runner: runnerOf() });
    },
    send: (outgoing) => producer.send(outgoing),
    ownership: (partition) => runnerOf().ownership(placeOf(partition)),
    position: (partition) => runnerOf().position(placeOf(partition)),
    onRestored: (tookMs) => parts.telemetry.restored(tookMs),
    committed: async (partition) =>
      (await admin.committedOffsets(profilesGroup, profileEvents.name)).get(partition) ?? 0,
    onRevoked(partition) {
      progress.forget(partition);
      shared.sizes.forget(partition);
    },
    turnTime: shared.turnTime,
    onFailed: (error) => lifecycle.fail(error),
  });
}

export function createProfileRunner(
  parts: Parts,
  {
    haste,
    ...shared
  }: Pick<Shared, "computations" | "progress" | "refreshTables" | "sizes"> & {
    readonly haste: () => ProcessorHaste;
  },
): { readonly partitions: ProfilePartitions; readonly runner: Runner } {
  const { kafka, profilesGroup, serde, topics } = parts.connection;
  const { records, telemetry } = parts;
  const topic = topics.profileEvents.name;
  const lingerMs = () => profileLingerMs(haste(), runner.outstanding.records);
  const producer = kafka.durableProducer({ lingerMs });
  const codec = createCodec(serde, topics);
  const turnTime = new TurnTime(parts.context.host);
  const partitions = createPartitions({ parts, ...shared, producer, codec, turnTime }, () => runner);
  const runner: Runner = kafka.runner({
    groupId: profilesGroup,
    topics: [topic],
    decode: eventDecoder(serde, topics),
    step: partitions.step,
    deadLetter(record, error) {
      telemetry.rejected(record, error);
      return [records.deadLetter(record, error)];
    },
    producer,
    haste,
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    openPartition: (partition) => partitions.open(partition),
    onRevoked: (lost) => partitions.revoked(lost),
    onRecordsLost: parts.onRecordsLost,
    // Two who send what changes of one user would contradict each other.
    unsureAfterSessions: 1,
  });
  return { partitions, runner };
}
