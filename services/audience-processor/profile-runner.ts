// The runner on profile events, and the partitions of profiles that it owns.
import { join } from "node:path";
import type { Producer, Runner } from "#kafka";
import type { Computations } from "./computations/computations.ts";
import { FirstSync } from "./computations/first-sync.ts";
import { Pace } from "./computations/pace.ts";
import type { Progress } from "./computations/progress.ts";
import { MAX_OUTSTANDING, type Parts } from "./parts.ts";
import { createCodec, type ProfileCodec } from "./profiles/codec.ts";
import { eventDecoder } from "./profiles/event.ts";
import { ProfilePartitions, type ProfilePartitionsOptions } from "./profiles/profile-partitions.ts";
import type { Telemetry } from "./telemetry.ts";

/** Members are counted where changes are sent. */
function withMembers(telemetry: Telemetry, progress: Progress, partition: number): Telemetry {
  return {
    ...telemetry,
    membersLeft(ids) {
      for (const id of ids) progress.addMembers(id, partition, -1);
    },
    sent(flips, nowMs) {
      telemetry.sent(flips, nowMs);
      for (const { computationId, text } of flips)
        if (text === "true" || text === "false")
          progress.addMembers(computationId, partition, text === "true" ? 1 : -1);
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
  readonly producer: Producer;
  readonly codec: ProfileCodec;
}

function workerParts({ codec, computations, parts, producer, progress }: Shared, partition: number) {
  const { context, records, telemetry } = parts;
  return {
    codec,
    records,
    computations,
    telemetry: withMembers(telemetry, progress, partition),
    host: context.host,
    send: producer.send.bind(producer),
    onFailed: (error: unknown) => context.lifecycle.fail(error),
    deadLetter(record: Parameters<Telemetry["rejected"]>[0], error: Error) {
      telemetry.rejected(record, error);
      return records.deadLetter(record, error);
    },
  };
}

function createPartitions(shared: Shared, runnerOf: () => Runner): ProfilePartitions {
  const { codec, computations, parts, producer, progress } = shared;
  const { host, lifecycle, settings } = parts.context;
  const { profileEvents, profiles } = parts.connection.topics;
  const placeOf = (partition: number) => ({ topic: profileEvents.name, partition });
  const pace = new Pace(settings.audiences.syncPerSecond, host);
  return new ProfilePartitions({
    directory: join(settings.data.dataDir, "audience-processor", profiles.name),
    store: storeSettings(parts, codec),
    worker: (partition) => workerParts(shared, partition),
    companion: (partition, worker) =>
      new FirstSync({
        partition,
        worker,
        computations,
        pace,
        nowMs: () => host.now(),
        position: () => runnerOf().position(placeOf(partition)) ?? 0,
        progressOf: (id) => progress.of(id, partition),
        report: (one) => progress.report(one),
      }),
    send: (outgoing) => producer.send(outgoing),
    ownership: (partition) => runnerOf().ownership(placeOf(partition)),
    position: (partition) => runnerOf().position(placeOf(partition)),
    onRevoked: (partition) => progress.forget(partition),
    onFailed: (error) => lifecycle.fail(error),
  });
}

export function createProfileRunner(
  parts: Parts,
  computations: Computations,
  progress: Progress,
): { readonly partitions: ProfilePartitions; readonly runner: Runner } {
  const { kafka, profilesGroup, serde, topics } = parts.connection;
  const { records, telemetry } = parts;
  const topic = topics.profileEvents.name;
  const producer = kafka.durableProducer();
  const codec = createCodec(serde, topics);
  const partitions = createPartitions({ parts, computations, progress, producer, codec }, () => runner);
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
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    openPartition: (partition) => partitions.open(partition),
    onRevoked: (lost) => partitions.revoked(lost),
    onRecordsLost: parts.onRecordsLost,
  });
  return { partitions, runner };
}
