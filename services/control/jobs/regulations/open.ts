import { isRestoreMark, type Kafka, type Producer, type Runner, type Table } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import { consumerGroups, type DestinationConfig, type Regulation, type TopicMap, witnessesOf } from "#topics";
import type { ConfigStore } from "../../records/config-store.ts";
import { WorkOwner } from "../../records/durable-work/owner.ts";
import { Pace } from "../../records/durable-work/pace.ts";
import type { Suppressed } from "../../records/suppressions/suppressed.ts";
import { hasEnded } from "../../resources/regulations/regulation.ts";
import { createRegulationStore, type RegulationStore } from "../../resources/regulations/store.ts";
import { createRegulationRecords } from "./records.ts";
import { type RegulationWork, WRITTEN_KINDS, workOn } from "./worker.ts";

export interface OpenRegulationsParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "list" | "refresh">;
  readonly suppressed: Pick<Suppressed, "look">;
}

interface RegulationsSettings {
  readonly topics: { readonly prefix: string };
  readonly regulations: { readonly notificationsPerSecond: number };
}

type Context = Pick<
  ServiceContext<RegulationsSettings>,
  "settings" | "lifecycle" | "health" | "logger" | "metrics" | "host" | "nowMs"
>;

/** A request that Kafka has not acknowledged by then is answered with 503. */
const DELIVERY_TIMEOUT_MS = 5_000;

const FORGET_EVERY_MS = 3_600_000;

/** A regulation is held open while it is worked on, and has up to a megabyte. */
const MAX_OUTSTANDING = { records: 10_000, bytes: 64 * 1024 * 1024 };

/** Takes part in working on regulations; the API does not wait for it. */
export function openRegulations(context: Context, parts: OpenRegulationsParts): RegulationStore {
  const { kafka, serde, topics } = parts;
  const topic = topics.regulations;
  const table = kafka.table<Regulation>({
    topic: topic.name,
    witnesses: witnessesOf(topics, topic),
    decode: ({ value }) => serde.decode(topic, value),
  });
  context.health.readiness("regulations are read", () => table.loaded);
  table.load().catch((error: unknown) => {
    if (!context.lifecycle.stopping.aborted) context.lifecycle.fail(error);
  });
  const asking = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const working = kafka.durableProducer();
  const store = createRegulationStore({ topic, table, producer: asking, serde });
  own(context, parts, { table, producer: working });
  const forgetting = context.host.setInterval(() => void forgetOld(context, topics, store), FORGET_EVERY_MS);
  context.lifecycle.onStop("forgetting of regulations", async () => forgetting.clear());
  return store;
}

interface Working {
  readonly table: Table<Regulation>;
  readonly producer: Producer;
}

function own(context: Context, parts: OpenRegulationsParts, working: Working): void {
  const { lifecycle, logger, metrics, host } = context;
  const work = workOf(context, parts, working);
  const owner = new WorkOwner<Regulation>({
    isOpen: (regulation) => !hasEnded(regulation),
    host,
    async work(id, signal) {
      // To the end: another process may have come further, and a destination may be new.
      await Promise.all([working.table.load(), parts.destinations.refresh()]);
      await workOn(id, work, signal);
    },
    onFailed: (regulationId, error) =>
      logger.warn({ regulationId, err: error }, "a regulation cannot go on yet"),
  });
  const runner = runnerOf(context, parts, { owner, producer: working.producer });
  lifecycle.onStop("regulations", async () => {
    await owner.stop();
    // Open ones are not settled: the next owner goes on with them.
    await runner.stop(0);
  });
  runner.failed.catch((error: unknown) => lifecycle.fail(error));
  runner.start().catch((error: unknown) => lifecycle.fail(error));
  metrics.gauge({
    name: "control_regulations_open",
    help: "Regulations that this process works on.",
    collect: (gauge) => gauge.set({}, owner.running),
  });
}

interface Owning {
  readonly owner: WorkOwner<Regulation>;
  readonly producer: Producer;
}

function runnerOf(
  { logger, settings }: Context,
  { kafka, serde, topics }: OpenRegulationsParts,
  { owner, producer }: Owning,
): Runner {
  return kafka.runner({
    groupId: consumerGroups(settings.topics.prefix).regulations.id,
    topics: [topics.regulations.name],
    decode: (record) =>
      record.value === null || isRestoreMark(record)
        ? undefined
        : serde.decode(topics.regulations, record.value),
    step: owner.step,
    deadLetter({ key }, error) {
      logger.error({ regulationId: key, err: error }, "a regulation cannot be read");
      return [];
    },
    producer,
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    onRevoked: (partitions) => owner.revoked(partitions),
  });
}

function workOf(
  { settings, metrics, host, nowMs }: Context,
  { serde, topics, destinations, suppressed }: OpenRegulationsParts,
  { table, producer }: Working,
): RegulationWork {
  const written = metrics.counter({
    name: "control_regulation_records_total",
    help: "What regulations have written: suppressions begun or ended, deletions of what audiences keep, delete notifications.",
    labels: { kind: WRITTEN_KINDS },
  });
  return {
    store: createRegulationStore({ topic: topics.regulations, table, producer, serde }),
    records: createRegulationRecords({ topics, serde, nowMs }),
    lookAtSuppressions: () => suppressed.look(),
    write: (records) => producer.send(records),
    destinations: () => destinations.list(),
    pace: new Pace(settings.regulations.notificationsPerSecond, host),
    onWritten: (kind, count) => written.inc({ kind }, count),
    host,
    nowMs,
  };
}

/** As long as the dead letters that may be of its users: a replay leaves those out. */
async function forgetOld(
  { logger, nowMs }: Context,
  { deadLetters: { cleanup } }: Pick<TopicMap, "deadLetters">,
  store: RegulationStore,
): Promise<void> {
  if (cleanup.policy !== "delete") return;
  const beforeMs = nowMs() - cleanup.retentionMs;
  const old = store.list().filter((regulation) => hasEnded(regulation) && regulation.updatedAtMs < beforeMs);
  await store
    .remove(old.map(({ id }) => id))
    .catch((error: unknown) => logger.warn({ err: error }, "old regulations are not forgotten yet"));
}
