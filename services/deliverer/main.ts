// Delivers calls to webhooks; see deliver.ts for what happens to one of them.
import { createRetrySchedule } from "#contract";
import { createEgress } from "#egress";
import { createKafka, type Kafka, type RawRecord } from "#kafka";
import { runService, type ServiceContext, type SettingsOf } from "#runtime";
import { createSecretBox } from "#secrets";
import { createSerde, type Serde } from "#serde";
import { type TopicMap, topicMap } from "#topics";
import { createAttempts } from "./attempts.ts";
import { settings } from "./config.ts";
import { createDeliver } from "./deliver.ts";
import { createDestinations } from "./destinations.ts";
import { Endpoints } from "./endpoints.ts";
import { RecentJobs } from "./recent-jobs.ts";
import { createRecords } from "./records.ts";
import { createTelemetry, watchState } from "./telemetry.ts";
import { watchWaitingCalls } from "./waiting-calls.ts";

/** To finish what is in flight: longer than a response may take, and short enough to commit and leave within the grace time. */
const FINISH_MS = 8_000;
const WAITING_CALLS_INTERVAL_MS = 15_000;

type Context = ServiceContext<SettingsOf<typeof settings>>;

/** The way to Kafka and to records; closed last. */
function connect({ settings: { kafka: to, registry, topics: named }, logger, lifecycle, nowMs }: Context) {
  const topics = topicMap(named);
  const kafka = createKafka(to, { logger: logger.child("kafka"), now: nowMs });
  lifecycle.onStop("kafka", () => kafka.close());
  const serde = createSerde({
    registryUrl: registry.registryUrl,
    topics: [topics.destinationConfig, topics.deliveryJobs, ...topics.deliveryRetries, topics.deadLetters],
    onUnavailable: ({ message }) =>
      logger.warn({ problem: message }, "the schema registry does not answer yet"),
    nowMs,
  });
  lifecycle.onStop("serde", () => serde.close());
  return { topics, kafka, serde };
}

/** The live configuration of destinations (contract 3.6). */
function readDestinations(
  context: Context,
  { kafka, serde, topics }: { kafka: Kafka; serde: Serde; topics: TopicMap },
) {
  const table = kafka.table({
    topic: topics.destinationConfig.name,
    decode: ({ value }) => serde.decode(topics.destinationConfig, value ?? Buffer.alloc(0)),
    onPoison: ({ key }, error) =>
      context.logger.error({ destinationId: key, err: error }, "destination cannot be read"),
  });
  return createDestinations(table, createSecretBox(context.settings.encryption));
}

/** The way out to webhooks. */
function openEgress({ settings: { delivery, egress: own }, lifecycle, nowMs }: Context) {
  const { maxInFlightPerEndpoint } = delivery;
  const egress = createEgress({
    allowCidrs: own.allowCidrs,
    // One for each request. With more to spare, requests would spread over more connections, which costs a third more CPU.
    connectionsPerOrigin: maxInFlightPerEndpoint,
    now: nowMs,
  });
  lifecycle.onStop("egress", () => egress.close());
  return { egress, endpoints: new Endpoints(maxInFlightPerEndpoint) };
}

async function start(context: Context): Promise<Record<string, never>> {
  const { health, lifecycle, logger, metrics, nowMs, settings: own } = context;
  const { topics, kafka, serde } = connect(context);
  const { egress, endpoints } = openEgress(context);
  const destinations = readDestinations(context, { kafka, serde, topics });
  const telemetry = createTelemetry({ metrics, logger, nowMs });
  const records = createRecords({ topics, serde, nowMs });
  const { responseDeadlineMs, userAgent } = own.egress;
  const deliver = createDeliver({
    retries: { schedule: createRetrySchedule(own.retries), delaysMs: own.retries.delaysMs },
    destinations,
    attempt: createAttempts({ egress, endpoints, responseDeadlineMs, userAgent, nowMs, telemetry }),
    records,
    recentJobs: new RecentJobs(),
    telemetry,
    nowMs,
  });

  const groupId = `${own.topics.prefix}deliverer`;
  const retryTopics = topics.deliveryRetries.map(({ name }) => name);
  const runner = kafka.runner({
    groupId,
    topics: [topics.deliveryJobs.name, ...retryTopics],
    // Every topic here holds the same record; a tombstone has no place in any of them and is undecodable.
    decode: ({ value }: RawRecord) => serde.decode(topics.deliveryJobs, value ?? Buffer.alloc(0)),
    step: deliver,
    deadLetter(record, error) {
      telemetry.rejected(record, error);
      return [records.raw(record, error)];
    },
    producer: kafka.producer({ deliveryTimeoutMs: Number.POSITIVE_INFINITY }),
    maxOutstandingRecords: own.delivery.maxOutstandingCalls,
    maxOutstandingBytes: own.delivery.maxOutstandingBytes,
    dueAtMs: ({ decoded }) => decoded.visibleAtMs,
  });
  const waitingCalls = watchWaitingCalls({
    admin: kafka.admin(),
    groupId,
    topics: retryTopics,
    intervalMs: WAITING_CALLS_INTERVAL_MS,
    onError: (error) => logger.debug({ err: error }, "waiting calls could not be counted"),
  });
  lifecycle.onStop("waiting calls", () => waitingCalls.stop());
  watchState(metrics, () => ({
    requestsInFlight: endpoints.inFlight,
    requestsWaiting: endpoints.waiting,
    outstandingCalls: runner.outstanding.records,
    assignedPartitions: runner.assigned.length,
    waitingCalls: waitingCalls.count,
  }));

  let isRunning = false;
  health.readiness("destinations are loaded and the consumer group is joined", () => isRunning);
  await serde.start();
  // Before the first job: a destination that is not there yet would cost a look for each of its jobs.
  await destinations.loaded();
  lifecycle.onStop("runner", (graceMs) => {
    endpoints.hold();
    return runner.stop(Math.min(graceMs, FINISH_MS));
  });
  runner.failed.catch((error: unknown) => lifecycle.fail(error));
  await runner.start();
  isRunning = true;
  return {};
}

await runService({ name: "deliverer", settings, start });
