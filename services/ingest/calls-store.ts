// The Kafka side of ingest: the sources read from it, the calls written to it, and whether it answers.
import { createKafka, type Producer, type Table } from "#kafka";
import type { ServiceContext, SettingsOf } from "#runtime";
import { createSerde } from "#serde";
import { type SourceConfig, topicMap } from "#topics";
import { createCallSink } from "./call-sink.ts";
import type { settings } from "./config.ts";
import { createKafkaWatch, type KafkaWatch } from "./kafka-watch.ts";
import type { CallSink } from "./request-handler.ts";
import { createSourceDirectory } from "./source-directory.ts";
import { loadSources } from "./sources.ts";
import type { SourceLookup } from "./write-key.ts";

export type IngestContext = ServiceContext<SettingsOf<typeof settings>>;

export interface CallsStore {
  readonly sources: SourceLookup;
  readonly sink: CallSink;
  readonly watch: KafkaWatch;
  oldestUnacknowledgedAtMs(): number | undefined;
  /** Schemas are known and every source is loaded. */
  readonly loaded: boolean;
  /** Begins to load; Kafka and the registry may come later. Rejects for what no waiting heals. */
  load(): Promise<void>;
}

const KAFKA_WATCH_MS = 1_000;

/** Opens nothing by itself before `load`. */
export function openCallsStore({ settings, logger, lifecycle, nowMs }: IngestContext): CallsStore {
  const { stopping } = lifecycle;
  const topics = topicMap(settings.topics);
  const kafka = createKafka(settings.kafka, { logger: logger.child("kafka"), now: nowMs });
  lifecycle.onStop("kafka", () => kafka.close());
  const serde = createSerde({
    registryUrl: settings.registry.registryUrl,
    topics: [topics.calls, topics.sourceConfig],
    onUnavailable: ({ message }) =>
      logger.warn({ problem: message }, "the schema registry does not answer yet"),
    nowMs,
  });
  lifecycle.onStop("serde", () => serde.close());

  const admin = kafka.admin();
  const ask = () => admin.partitionCount(topics.calls.name);
  const watch = createKafkaWatch({ ask, intervalMs: KAFKA_WATCH_MS, logger, stopping });
  const producer: Producer = kafka.producer({ deliveryTimeoutMs: settings.ingest.acknowledgeTimeoutMs });
  const table: Table<SourceConfig> = kafka.table({
    topic: topics.sourceConfig.name,
    decode: ({ value }) => serde.decode(topics.sourceConfig, value ?? Buffer.alloc(0)),
    onPoison: ({ key }, error) => logger.error({ sourceId: key, err: error }, "source cannot be read"),
  });

  let loaded = false;
  return {
    sources: createSourceDirectory(table),
    sink: createCallSink({
      encode: (call) => serde.encode(topics.calls, call),
      send: (records) => producer.send(records.map((record) => ({ topic: topics.calls.name, ...record }))),
      onUnavailable: watch.failed,
    }),
    watch,
    oldestUnacknowledgedAtMs: () => producer.backlog.oldestAtMs,
    get loaded() {
      return loaded;
    },
    async load() {
      void watch.run();
      await Promise.all([serde.start(), loadSources(table, { logger, stopping })]);
      loaded = true;
    },
  };
}
