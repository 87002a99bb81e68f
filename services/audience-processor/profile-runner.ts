// The runner on profile events, and the partitions of profiles that it owns.
import { join } from "node:path";
import { noteEveryMs } from "#audiences";
import type { Producer, Runner } from "#kafka";
import { audienceProgressKey } from "#topics";
import { companionOf, type OfPartition, pacesOf } from "./companion.ts";
import type { Computations } from "./computations/computations.ts";
import { countingIncomplete } from "./computations/counting-incomplete.ts";
import type { LeafLives } from "./computations/leaf-lives.ts";
import { LeafRegistry } from "./computations/leaf-registry.ts";
import { PartitionComputations } from "./computations/partition-computations.ts";
import { isFirstOver } from "./computations/pass-progress.ts";
import type { Progress } from "./computations/progress.ts";
import { type ProcessorHaste, profileLingerMs } from "./haste.ts";
import { MAX_OUTSTANDING, type Parts } from "./parts.ts";
import { createCodec, type ProfileCodec } from "./profiles/codec.ts";
import { eventDecoder } from "./profiles/event.ts";
import type { ProfilePartitionsOptions } from "./profiles/partition-parts.ts";
import { ProfilePartitions } from "./profiles/profile-partitions.ts";
import type { Sizes } from "./sizes/sizes.ts";
import type { Telemetry } from "./telemetry.ts";
import { TurnTime } from "./turn-time.ts";

const BYTES_A_MEGABYTE = 1024 * 1024;

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
  readonly lives: LeafLives;
  readonly sizes: Sizes;
  readonly producer: Producer;
  readonly codec: ProfileCodec;
  readonly turnTime: TurnTime;
  /** Reads what is configured and how far it is, to their ends. */
  refreshTables(): Promise<unknown>;
}

function partitionOf(
  { computations, lives, parts, progress }: Shared,
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
    end: (ids) => progress.end(ids.map((id) => audienceProgressKey({ id, partition }))),
    newestLife: (id) => lives.newestOf(id),
    idsOf: (of) => progress.idsOf(of),
  });
  return {
    partition,
    registry,
    telemetry: countingIncomplete(parts.telemetry, progress, partition),
    computations: new PartitionComputations(computations, {
      coverageOf: registry.coverageOf,
      isFirstOver: (id) => isFirstOver(progress.of(id, partition)),
    }),
  };
}

function workerParts(shared: Shared, { computations, telemetry }: OfPartition) {
  const { codec, parts, producer, refreshTables, turnTime } = shared;
  const { context, records } = parts;
  return {
    codec,
    records,
    computations,
    turnTime,
    noteEveryMs: noteEveryMs(context.settings.audiences.anonymousRetentionMs),
    telemetry,
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
    generation: () => runnerOf().generation,
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
  }: Pick<Shared, "computations" | "lives" | "progress" | "refreshTables" | "sizes"> & {
    readonly haste: () => ProcessorHaste;
  },
): { readonly partitions: ProfilePartitions; readonly runner: Runner } {
  const { kafka, profilesGroup, serde, topics } = parts.connection;
  const { records, telemetry } = parts;
  const topic = topics.profileEvents.name;
  const lingerMs = () => profileLingerMs(haste(), runner.outstanding.records);
  const producer = kafka.durableProducer({ lingerMs, anyPartition: [topics.deadLetters.name] });
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
