// The Kafka side of ingest: the sources and suppressions read from it, the calls written to it, and whether it answers.
import { watchConfiguration } from "#connection";
import type { EventLoopTurns } from "#host";
import type { Kafka, OutgoingRecord, Producer, Table } from "#kafka";
import { watchTables } from "#runtime";
import { configurationTopics, formerKeyUseKey, type RefusedCalls, type TopicMap, witnessesOf } from "#topics";
import { connect, type IngestContext } from "../connection.ts";
import type { CallSink } from "../ingest-parts.ts";
import { INGEST_FIELDS, SourceDirectory } from "../request/source-directory.ts";
import type { SourceLookup } from "../request/write-key.ts";
import { watchRefusedRecords, watchSuppressions } from "../telemetry.ts";
import { createCallSink } from "./call-sink.ts";
import { createFormerKeys, type FormerKeys } from "./former-keys.ts";
import { createKafkaWatch, type KafkaWatch } from "./kafka-watch.ts";
import { createRefusedCalls, type RefusedCallsLog } from "./refused-calls.ts";
import { createSuppressions, type Suppressions } from "./suppressions.ts";

export interface CallsStore {
  readonly sources: SourceLookup;
  readonly suppressions: Suppressions;
  readonly sink: CallSink;
  readonly refusedCalls: RefusedCallsLog;
  readonly formerKeys: FormerKeys;
  readonly watch: KafkaWatch;
  /** The age of the oldest record that Kafka has not acknowledged. */
  unacknowledgedMs(): number | undefined;
  /** Schemas are known, every source and every suppression is loaded. */
  readonly loaded: boolean;
  /** Begins to load; Kafka and the registry may come later. Rejects for what no waiting heals. */
  load(): Promise<void>;
}

const KAFKA_WATCH_MS = 1_000;

export function openCallsStore(context: IngestContext, turns: EventLoopTurns): CallsStore {
  const { settings, logger, lifecycle, metrics } = context;
  const { stopping } = lifecycle;
  const { topics, kafka, serde } = connect(context);
  const { calls, formerKeyUses, refusedCalls, sourceConfig } = topics;
  const admin = kafka.admin();
  const ask = () => admin.partitionCount(calls.name);
  const watch = createKafkaWatch({ ask, host: context.host, intervalMs: KAFKA_WATCH_MS, logger, stopping });
  const producer = kafka.producer({
    deliveryTimeoutMs: settings.ingest.acknowledgeTimeoutMs,
    lingerMs: CALLS_LINGER_MS,
  });
  const used = serde.excerpts(sourceConfig, INGEST_FIELDS);
  const sources = new SourceDirectory(used.read);
  const table = kafka.table({
    topic: sourceConfig.name,
    witnesses: witnessesOf(topics, sourceConfig),
    excerpt: ({ value }) => used.cut(value),
    decode: ({ value }) => used.read(value),
    values: sources,
    onPoison: ({ key }, error) => logger.error({ sourceId: key, err: error }, "source cannot be read"),
  });
  watchTables(metrics, { "source-config": table });
  const suppressed = openSuppressions(context, kafka, topics);
  watchConfiguration(
    context,
    { kafka },
    configurationTopics(topics).filter(({ topic }) => topic.readBy.includes("ingest")),
  );
  const sink = createCallSink({
    encode: (call) => serde.encode(calls, call),
    send: (records, headers) =>
      producer.send(records.map((record) => ({ topic: calls.name, ...record, headers }))),
    pause: () => turns.next(),
    watch,
  });
  const notes = kafka.producer({ deliveryTimeoutMs: NOTES_TIMEOUT_MS, lingerMs: NOTES_LINGER_MS });
  let loaded = false;
  return {
    sources,
    suppressions: createSuppressions(suppressed),
    sink,
    refusedCalls: openRefusedCalls(context, {
      encode: (record) => ({
        topic: refusedCalls.name,
        key: record.sourceId,
        value: serde.encode(refusedCalls, record),
      }),
      producer: notes,
    }),
    formerKeys: createFormerKeys({
      nowMs: context.nowMs,
      write: async (use) => {
        const value = serde.encode(formerKeyUses, use);
        await notes.send([{ topic: formerKeyUses.name, key: formerKeyUseKey(use), value }]);
      },
    }),
    watch,
    unacknowledgedMs() {
      const { oldestElapsedMs } = producer.backlog;
      return oldestElapsedMs === undefined ? undefined : context.host.elapsed() - oldestElapsedMs;
    },
    get loaded() {
      return loaded;
    },
    async load() {
      void watch.run();
      await Promise.all([serde.start(), table.load(), suppressed.load()]);
      loaded = true;
    },
  };
}

/**
 * Twice the usual linger, and a little. The router reads and writes together, and the deliverer reads together, what ingest has written together:
 * one request less here is four less on the whole way, which so has at most 1.5 a call at 345/s.
 */
const CALLS_LINGER_MS = 9;

/** Of what nobody waits for: a producer of its own, so that a topic that does not exist holds no call up. */
const NOTES_TIMEOUT_MS = 5_000;
const NOTES_LINGER_MS = 100;

interface RefusedWriter {
  encode(record: RefusedCalls): OutgoingRecord;
  readonly producer: Pick<Producer, "send">;
}

function openRefusedCalls(
  { host, lifecycle, metrics, nowMs }: IngestContext,
  { encode, producer }: RefusedWriter,
): RefusedCallsLog {
  const failed = watchRefusedRecords(metrics);
  const log = createRefusedCalls({
    host,
    nowMs,
    async write(record) {
      try {
        await producer.send([encode(record)]);
      } catch (error) {
        failed();
        throw error;
      }
    },
  });
  lifecycle.onStop("refused calls", () => log.stop());
  return log;
}

/** Follows suppressions by their keys alone: ingest needs nothing of a record, so it is not even decoded. */
function openSuppressions({ metrics }: IngestContext, kafka: Kafka, topics: TopicMap): Table<true> {
  const { suppressions } = topics;
  const witnesses = witnessesOf(topics, suppressions);
  const table = kafka.table<true>({ topic: suppressions.name, witnesses, decode: () => true });
  watchSuppressions(metrics, table);
  return table;
}
