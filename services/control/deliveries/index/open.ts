import { join } from "node:path";
import type { Timer } from "#host";
import type { Kafka } from "#kafka";
import type { dataDirSettings, ServiceContext, SettingsOf } from "#runtime";
import type { Serde } from "#serde";
import type { DeliveryAttempt, Topic, TopicMap } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import type { indexSettings } from "./config.ts";
import type { IndexDisk } from "./database.ts";
import { DeliveryIndex } from "./delivery-index.ts";
import { followTopics } from "./follow.ts";
import { INDEXED, type Indexed } from "./indexed.ts";
import { Progress } from "./progress.ts";
import type { RetentionRules } from "./retention.ts";

export interface Deliveries {
  readonly index: DeliveryIndex;
  readonly progress: Progress;
}

export interface OpenIndexParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly indexDisk: IndexDisk;
  /** Called for each record of an attempt that was read, also for an old one. */
  onAttempt(attempt: DeliveryAttempt): void;
}

type Context = ServiceContext<
  SettingsOf<{ readonly data: typeof dataDirSettings; readonly index: typeof indexSettings }>
>;

const DELETE_EVERY_MS = 60_000;

/** Opens the index and follows its topics; answers are given from the beginning, however far it has come. */
export function openDeliveryIndex(
  context: Context,
  { kafka, serde, topics, indexDisk, onAttempt }: OpenIndexParts,
): Deliveries {
  const { lifecycle, logger, host, nowMs, settings: own } = context;
  const progress = new Progress(host);
  const index = new DeliveryIndex({
    folder: join(own.data.dataDir, "control", topics.deadLetters.name),
    nowMs,
    disk: indexDisk,
    onDiscarded(why) {
      progress.forget();
      logger.warn({ why }, "the delivery index is built again from the topics");
    },
  });
  const indexed = {
    attempts: topics.deliveryAttempts,
    totals: topics.deliveryTotals,
    deadLetters: topics.deadLetters,
    routedCalls: topics.routedCalls,
    refusedCalls: topics.refusedCalls,
    hourlyStats: topics.hourlyStats,
    dailyStats: topics.dailyStats,
    auditLog: topics.auditLog,
  };
  const ending = new AbortController();
  const following = followTopics({
    index,
    progress,
    kafka,
    serde,
    topics: indexed,
    onAttempt,
    logger,
    host,
    signal: ending.signal,
  });
  const sweeping = sweep(index, rulesOf(indexed, own.index.maxRows), context);
  lifecycle.onStop("delivery index", async () => {
    sweeping.clear();
    ending.abort();
    await following;
    index.close();
  });
  watchProgress(context, progress);
  return { index, progress };
}

/** The index keeps what the topics keep. */
function rulesOf(topics: Readonly<Record<Indexed, Topic>>, maxRows: number): RetentionRules {
  const keptMs = (kind: Indexed): number => {
    const { cleanup } = topics[kind];
    return cleanup.policy === "delete" ? cleanup.retentionMs : Number.POSITIVE_INFINITY;
  };
  const kept = Object.fromEntries(INDEXED.map((kind) => [kind, keptMs(kind)]));
  return { keptMs: kept as RetentionRules["keptMs"], maxRows };
}

function sweep(
  index: DeliveryIndex,
  rules: RetentionRules,
  { logger, lifecycle, host }: Pick<ServiceContext<unknown>, "logger" | "lifecycle" | "host">,
): Timer {
  const deleteAll = async (): Promise<void> => {
    while (!lifecycle.stopping.aborted && index.deleteOld(rules)) await nextTurn(host);
  };
  return host.setInterval(() => {
    deleteAll().catch((error: unknown) =>
      logger.error({ err: error }, "old rows of the index are not deleted"),
    );
  }, DELETE_EVERY_MS);
}

function watchProgress({ metrics }: Pick<ServiceContext<unknown>, "metrics">, progress: Progress): void {
  metrics.gauge({
    name: "control_indexed_until_timestamp_seconds",
    help: "Up to when the topic is in the delivery index; 0 until each partition was looked at.",
    labels: { topic: INDEXED },
    collect(gauge) {
      for (const topic of INDEXED) gauge.set({ topic }, (progress.indexedUntilMs(topic) ?? 0) / 1000);
    },
  });
}
