// Keeps audiences and computed traits: calls are keyed by profile (keying/), profiles are folded and evaluated (profiles/), against what is
// configured (computations/).
import { noteEveryMs } from "#audiences";
import { REAL_WAYS, type Ways } from "#connection";
import { prepareValidation } from "#contract";
import type { Runner } from "#kafka";
import { countRecordsLost, type ServiceDefinition } from "#runtime";
import { type OpenStore, openStore } from "#state";
import { Computations } from "./computations/computations.ts";
import { LeafLives } from "./computations/leaf-lives.ts";
import { reportLeftOut } from "./computations/left-out.ts";
import { Progress } from "./computations/progress.ts";
import { settings } from "./config.ts";
import { connect, type ProcessorContext } from "./connection.ts";
import { hasteOf, type ProcessorHaste } from "./haste.ts";
import { whenDeleted } from "./keying/deletions.ts";
import { createKeyCalls, isOwn } from "./keying/key-calls.ts";
import { MAX_OUTSTANDING, type Parts } from "./parts.ts";
import { createProfileRunner } from "./profile-runner.ts";
import type { ProfilePartitions } from "./profiles/profile-partitions.ts";
import { followTide } from "./profiles/watermark.ts";
import { createRecords } from "./records.ts";
import { KnownRows } from "./sizes/known-rows.ts";
import { Sizes } from "./sizes/sizes.ts";
import { followTables, type Tables } from "./tables.ts";
import { createTelemetry, watchState } from "./telemetry.ts";

const TICK_MS = 250;
const WRITE_SIZES_EVERY_MS = 2_000;
const END_OLD_SIZES_EVERY_MS = 3_600_000;
const END_FORGOTTEN_EVERY_MS = 10_000;
/** So much of the changelog is read again after a crash. */
const CHECKPOINT_EVERY_MS = 30_000;

/** What lies outside the process. */
export interface ProcessorOutside extends Ways {
  readonly openStore: OpenStore;
}

function createKeying(
  { connection, context, onRecordsLost, records, telemetry }: Parts,
  shared: { readonly computations: Computations; readonly tables: Tables; haste(): ProcessorHaste },
): Runner {
  const { computations, haste, tables } = shared;
  const { kafka, keyingGroup, serde, topics } = connection;
  const lingerMs = () => haste().lingerMs;
  return kafka.runner({
    groupId: keyingGroup,
    topics: [topics.calls.name],
    decode: (record) => (isOwn(record) ? undefined : serde.decode(topics.calls, record.value)),
    step: createKeyCalls({
      records,
      linkEveryMs: noteEveryMs(context.settings.audiences.anonymousRetentionMs),
      hasAccounts: () => computations.hasAccounts,
      nowMs: context.nowMs,
      onKeyed: (events) => telemetry.keyed(events),
      whenDeleted: (listener) => whenDeleted(tables.regulations, listener),
    }),
    deadLetter(record, error) {
      telemetry.rejected(record, error);
      return [records.deadLetter(record, error)];
    },
    producer: kafka.durableProducer({ lingerMs, anyPartition: [topics.deadLetters.name] }),
    haste,
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    onRecordsLost,
  });
}

function openProgress({ connection, context, records }: Parts, tables: Tables): Progress {
  const { host, lifecycle, logger } = context;
  const producer = connection.kafka.producer();
  const progress = new Progress({
    table: tables.progress,
    record: (one) => records.progress(one),
    end: (key) => records.progressEnd(key),
    send: (outgoing) => producer.send(outgoing),
    host,
    onError: (error) => logger.warn({ err: error }, "progress could not be written; it is tried again"),
  });
  lifecycle.onStop("progress", () => progress.close());
  return progress;
}

function openSizes({ connection, context }: Parts, tables: Tables, progress: Progress): Sizes {
  const { configs, sizes: table } = tables;
  const { host, lifecycle, logger } = context;
  const { kafka, serde, topics } = connection;
  const producer = kafka.producer();
  const sizes = new Sizes({
    ...{ rows: KnownRows.of(table), kafka, serde, topics, host },
    isCounted: (id) => configs.get(id)?.deletedAtMs === null && configs.get(id)?.kind !== "trait",
    onCounted: (id, partition, members) => progress.setMembers(id, partition, members),
    isGone: (id) => (configs.get(id)?.deletedAtMs ?? null) !== null,
    send: (outgoing) => producer.send(outgoing),
    onError: (error) =>
      logger.warn({ err: error }, "sizes of audiences could not be written; it is tried again"),
  });
  table.onChange((_, row) => void (row && sizes.noticed(row)));
  const endOld = (): void =>
    void sizes
      .endOld()
      .catch((error: unknown) => logger.debug({ err: error }, "old sizes have not ended yet"));
  const timers = [
    host.setInterval(() => void sizes.write(), WRITE_SIZES_EVERY_MS),
    host.setInterval(endOld, END_OLD_SIZES_EVERY_MS),
  ];
  lifecycle.onStop("sizes", async () => {
    for (const timer of timers) timer.clear();
    await sizes.write();
  });
  return sizes;
}

/** What is forgotten is so for ever: a former owner of a partition that ends a row ends nothing that the next one needs. */
function endForgotten(
  { context: { host, lifecycle, logger } }: Parts,
  { configs }: Pick<Tables, "configs">,
  { progress, runner }: { readonly progress: Progress; readonly runner: Pick<Runner, "assigned"> },
): void {
  const isForgotten = (id: string): boolean => configs.get(id)?.isForgotten === true;
  const timer = host.setInterval(() => {
    const owned = new Set(runner.assigned.map(({ partition }) => partition));
    progress
      .endForgotten(isForgotten, (partition) => owned.has(partition))
      .catch((error: unknown) =>
        logger.debug({ err: error }, "progress of what is forgotten has not ended yet"),
      );
  }, END_FORGOTTEN_EVERY_MS);
  lifecycle.onStop("forgetting of progress", async () => timer.clear());
}

/** What happens by the passing of time. */
function followTime(
  { connection, context }: Parts,
  {
    computations,
    partitions,
  }: { readonly computations: Computations; readonly partitions: ProfilePartitions },
) {
  const { host, lifecycle, logger } = context;
  const ending = new AbortController();
  const following = followTide({
    ...connection,
    admin: connection.kafka.admin(),
    host,
    signal: ending.signal,
    isNeeded: () => computations.isAny,
    onTide: (tide) => partitions.tide(tide),
    onError: (error) => logger.debug({ err: error }, "the ends of the topics could not be looked at"),
  });
  const timers = [
    host.setInterval(() => partitions.tick(), TICK_MS),
    host.setInterval(() => {
      partitions
        .refresh()
        .catch((error: unknown) => logger.debug({ err: error }, "a checkpoint could not be taken"));
    }, CHECKPOINT_EVERY_MS),
  ];
  lifecycle.onStop("time", async () => {
    for (const timer of timers) timer.clear();
    ending.abort();
    await following;
  });
}

async function start(context: ProcessorContext, outside: ProcessorOutside): Promise<Record<string, never>> {
  // It is ready and does nothing, so that a deployment that starts it all the same stays well.
  if (context.settings.switch.hasAudiences) await keepAudiences(context, outside);
  else context.logger.info({}, "HOOKLINE_AUDIENCES is off: calls are not kept for audiences");
  return {};
}

async function keepAudiences(context: ProcessorContext, outside: ProcessorOutside): Promise<void> {
  const { health, lifecycle, logger, metrics, nowMs } = context;
  const connection = connect(context, outside);
  const records = createRecords({ ...connection, nowMs });
  const { calls, profileEvents } = connection.topics;
  const onRecordsLost = countRecordsLost(metrics, [calls.name, profileEvents.name]);
  const telemetry = createTelemetry({ metrics, logger });
  const parts: Parts = {
    context,
    connection,
    records,
    telemetry,
    onRecordsLost,
    openStore: outside.openStore,
  };
  const tables = followTables(parts);
  const computations = new Computations();
  reportLeftOut(context, computations);
  tables.configs.onChange((id, config) => computations.apply(id, config));
  const lives = LeafLives.of(tables.progress);
  const progress = openProgress(parts, tables);
  const sizes = openSizes(parts, tables, progress);
  const loadTables = (): Promise<unknown> =>
    Promise.all([tables.configs.load(), tables.progress.load(), tables.sizes.load()]);
  const haste = (): ProcessorHaste => hasteOf(computations);
  const { partitions, runner } = createProfileRunner(parts, {
    computations,
    haste,
    lives,
    progress,
    sizes,
    refreshTables: loadTables,
  });
  const keying = createKeying(parts, { computations, haste, tables });
  lifecycle.onStop("profiles", () => partitions.close());
  let isJoined = false;
  health.readiness("consumer groups are joined", () => isJoined);
  health.readiness("profiles are restored", () => {
    const { opening } = partitions;
    return opening.length === 0 || `restoring partitions ${opening.join(", ")}`;
  });
  watchState(metrics, () => ({
    assignedPartitions: runner.assigned.length,
    restoringPartitions: partitions.opening.length,
    outstandingEvents: runner.outstanding.records,
    profiles: partitions.profiles,
    computations: computations.versions.length,
    watermarkMs: partitions.endedUntilMs ?? 0,
  }));
  // Else the first identify that is sent would hold the event loop for it, after what its call has cost.
  prepareValidation();
  await connection.serde.start();
  // Before the first event: it would be folded without the leaves of what is configured.
  await Promise.all([loadTables(), tables.regulations.load()]);
  for (const one of [keying, runner]) {
    lifecycle.onStop("runner", (graceMs) => {
      const stopped = one.stop(graceMs);
      if (one === runner) partitions.readingIsOver();
      return stopped;
    });
    one.failed.catch((error: unknown) => lifecycle.fail(error));
  }
  const joined = Promise.all([runner.start(), keying.start()]);
  // At once: what an earlier owner has left unsent need not wait until the other group is joined, too.
  followTime(parts, { computations, partitions });
  endForgotten(parts, tables, { progress, runner });
  await joined;
  isJoined = true;
}

/** The service in the world that `outside` leads to. */
export function createAudienceProcessor(outside: ProcessorOutside): ServiceDefinition<typeof settings> {
  return { name: "audience-processor", settings, start: (context) => start(context, outside) };
}

export const audienceProcessor = createAudienceProcessor({ ...REAL_WAYS, openStore });
