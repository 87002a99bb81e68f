import { connectService, type Ways } from "#connection";
import { acceptCall } from "#contract";
import type { Kafka } from "#kafka";
import { clusterSettings, type ServiceContext, type ServiceDefinition, type SettingsOf } from "#runtime";
import { type TopicMap, witnessesOf } from "#topics";
import { createCallSink } from "../../../services/ingest/sink/call-sink.ts";
import { createSuppressions, type Suppressions } from "../../../services/ingest/sink/suppressions.ts";
import type { CallPlan } from "../plan/plan.ts";

/** As the product's own: HOOKLINE_INGEST_ACKNOWLEDGE_TIMEOUT. */
const ACKNOWLEDGE_TIMEOUT_MS = 4_000;

/** Takes a call; says whether it is stored. */
export type Accept = (call: CallPlan, sourceId: string) => Promise<"stored" | "unavailable">;

export interface IngestWays extends Ways {
  /** Calls of suppressed users are dropped, as far as it knows of them. */
  readonly isDropping: boolean;
}

/** Ingest behind its HTTP server: the product's own way from a parsed call to its record. `onReady` gets the way in. */
export function createIngest(
  { isDropping, ...ways }: IngestWays,
  onReady: (accept: Accept) => void,
): ServiceDefinition<typeof clusterSettings> {
  async function start(
    context: ServiceContext<SettingsOf<typeof clusterSettings>>,
  ): Promise<Record<string, never>> {
    const { host } = context;
    const { kafka, serde, topics } = connectService(context, ({ calls }) => [calls], ways);
    const suppressions = isDropping ? await followSuppressions(kafka, topics) : undefined;
    const producer = kafka.producer({ deliveryTimeoutMs: ACKNOWLEDGE_TIMEOUT_MS });
    await serde.start();
    const sink = createCallSink({
      encode: (call) => serde.encode(topics.calls, call),
      send: (records) => producer.send(records.map((record) => ({ topic: topics.calls.name, ...record }))),
      pause: () => new Promise<void>((resolve) => void host.setImmediate(resolve)),
      watch: { begin: () => host.elapsed(), stored: () => undefined, failed: () => undefined },
    });
    onReady(({ fields, messageId, type, userId }, sourceId) => {
      const least = { userId, ...(type === "track" ? { event: "seen" } : { traits: {} }) };
      const raw = { messageId, ...(fields ?? least) };
      const accepted = acceptCall(raw, { type, receivedAtMs: host.now(), newMessageId: () => host.uuid() });
      if (!accepted.ok) throw new TypeError(accepted.message);
      const kept = suppressions?.keep(sourceId, [accepted.call], () => Promise.resolve());
      if (Array.isArray(kept) && kept.length === 0) return Promise.resolve("stored");
      return sink.store(sourceId, [accepted.call]);
    });
    return {};
  }
  return { name: "ingest", settings: clusterSettings, start };
}

/** As the product's own does, which takes no call before they are read. */
async function followSuppressions(kafka: Kafka, topics: TopicMap): Promise<Suppressions> {
  const { suppressions } = topics;
  const witnesses = witnessesOf(topics, suppressions);
  const table = kafka.table<true>({ topic: suppressions.name, witnesses, decode: () => true });
  await table.load();
  return createSuppressions(table);
}
