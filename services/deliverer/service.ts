// Delivers calls to webhooks; what happens to one of them stands in deliver.ts.
import { REAL_WAYS, type Ways, watchLag } from "#connection";
import { createRetrySchedule } from "#contract";
import { createEgress } from "#egress";
import type { Producer, Runner, Step } from "#kafka";
import { countRecordsLost, type ServiceDefinition } from "#runtime";
import type { DeliveryJob } from "#topics";
import { carryTrace, openTracer, type Tracer } from "#tracing";
import type { AttemptLog } from "./attempt-log/attempt-log.ts";
import { openAttemptLog } from "./attempt-log/open.ts";
import { settings } from "./config.ts";
import {
  type Connection,
  connect,
  type DelivererContext,
  findRetryTopics,
  type Reading,
} from "./connection.ts";
import { type Destinations, followDestinations } from "./destinations.ts";
import type { DestinationLimits } from "./endpoints/destination-limits.ts";
import type { EndpointQueues } from "./endpoints/endpoint-queues.ts";
import { openBreakerLog, openEndpoints } from "./endpoints/open.ts";
import { createJobAdmission, type JobAdmission } from "./intake/job-admission.ts";
import { createDeliver } from "./job/deliver.ts";
import { RecentJobs } from "./job/recent-jobs.ts";
import { createRecords } from "./job/records.ts";
import { type AttemptsOptions, createAttempts, type MakeAttempt } from "./requests/attempts.ts";
import { createTelemetry, type Telemetry, watchState } from "./telemetry.ts";
import { openWaking, type Waking } from "./waking/open.ts";

/** The least time to finish requests in flight, with their waits for places. */
const FINISH_MS = 8_000;
/** What these may take beside their answers. */
const BESIDE_ANSWER_MS = 3_000;
/** The rest of the grace time is for committing and leaving. */
const SHARE_OF_GRACE = 0.8;
const FORGET_EVERY_MS = 60_000;
/** What may wait for one partition of Kafka: in each of the two or three partitions that calls come from to a retry topic's; for the configuration in all. */
const HELD_UP_SHARE = 0.25;

/** The systems outside the process. */
export interface DelivererOutside extends Ways {
  readonly createEgress: typeof createEgress;
}

const MACHINE: DelivererOutside = { ...REAL_WAYS, createEgress };

interface EgressParts {
  readonly outside: DelivererOutside;
  readonly limits: DestinationLimits;
  readonly observers: AttemptsOptions["observers"];
  readonly tracer: Tracer;
}

/** The way out to webhooks. */
function openEgress(context: DelivererContext, { outside, limits, observers, tracer }: EgressParts) {
  const { host, settings: own, lifecycle, nowMs } = context;
  const { allowCidrs, responseDeadlineMs, userAgent } = own.egress;
  // The queues bound what is under way. They keep it low: requests that spread over more connections than they need cost a third more CPU.
  const connectionsPerOrigin = own.delivery.maxOutstandingCalls;
  const egress = outside.createEgress({ allowCidrs, connectionsPerOrigin, host });
  lifecycle.onStop("egress", () => egress.close());
  const elapsedMs = () => host.elapsed();
  return createAttempts({
    egress,
    queues: limits,
    responseDeadlineMs,
    userAgent,
    nowMs,
    elapsedMs,
    observers,
    tracer,
  });
}

interface DeliveryParts {
  readonly attempt: MakeAttempt;
  readonly destinations: Destinations;
  readonly telemetry: Telemetry;
  readonly attemptLog: AttemptLog;
}

function openRecentJobs({ host, lifecycle, settings: own }: DelivererContext): RecentJobs {
  const recentJobs = new RecentJobs();
  // The copy of a job that ended may come after the longest delay.
  const keptMs = (own.retries.delaysMs.at(-1) ?? 0) + FORGET_EVERY_MS;
  const timer = host.setInterval(() => recentJobs.age(host.elapsed(), keptMs), FORGET_EVERY_MS);
  lifecycle.onStop("recent jobs", () => timer.clear());
  return recentJobs;
}

/** The step of every job that is due, or woken. */
function createStep(
  context: DelivererContext,
  { serde, topics }: Connection,
  parts: DeliveryParts,
): Step<DeliveryJob> {
  const { settings: own, nowMs } = context;
  const records = createRecords({ topics, serde, nowMs });
  const recentJobs = openRecentJobs(context);
  const { responseDeadlineMs } = own.egress;
  const schedule = createRetrySchedule({ ...own.retries, responseDeadlineMs });
  const retries = { schedule, delaysMs: own.retries.delaysMs };
  return carryTrace(createDeliver({ ...parts, retries, records, recentJobs, nowMs }));
}

/** The time to finish requests in flight: longer than a response may take. */
export function finishMs({ egress }: Pick<DelivererContext["settings"], "egress">): number {
  return Math.max(FINISH_MS, egress.responseDeadlineMs + BESIDE_ANSWER_MS);
}

function maxHeldUp({ delivery }: Pick<DelivererContext["settings"], "delivery">): number {
  return Math.ceil(delivery.maxOutstandingCalls * HELD_UP_SHARE);
}

interface ReadingParts {
  readonly step: Step<DeliveryJob>;
  readonly telemetry: Telemetry;
  readonly admission: JobAdmission;
  readonly producer: Producer;
  readonly waking: Waking;
}

function createRunner(
  { settings: own, metrics, nowMs }: DelivererContext,
  { groupId, kafka, retryTopics, serde, topics }: Reading,
  { producer, step, telemetry, admission, waking }: ReadingParts,
): Runner {
  const records = createRecords({ topics, serde, nowMs });
  const names = [topics.deliveryJobs.name, ...retryTopics.map(({ name }) => name)];
  return kafka.runner({
    groupId,
    topics: names,
    // Due records are held already, and those that come are due in seconds at the earliest.
    unhurriedTopics: retryTopics.map(({ name }) => name),
    // Every topic here holds the same record; a tombstone has no place in any of them and is undecodable.
    decode: ({ value }) => serde.decode(topics.deliveryJobs, value),
    step: waking.reading(step),
    deadLetter(record, error) {
      telemetry.rejected(record, error);
      return [records.raw(record, error)];
    },
    producer,
    maxOutstandingRecords: own.delivery.maxOutstandingCalls,
    maxOutstandingBytes: own.delivery.maxOutstandingBytes,
    maxUnwrittenRecords: maxHeldUp(own),
    movesWithinMs: finishMs(own),
    handsOverQuickly: true,
    dueAtMs: (record) => admission.dueAtMs(record),
    onRevoked: (partitions) => admission.revoked(partitions),
    onRecordsLost: countRecordsLost(metrics, names),
    async onAssigned() {
      telemetry.rebalanced();
      waking.reassigned();
    },
    // Calls that have never waited need no cursors, and go on while these cannot be read.
    async openPartition({ topic }) {
      if (topic !== topics.deliveryJobs.name) await waking.cursorsRead();
    },
  });
}

function watch(
  context: DelivererContext,
  connection: Reading,
  parts: { runner: Runner; queues: EndpointQueues; admission: JobAdmission },
) {
  const { runner, queues, admission } = parts;
  const { groupId, retryTopics } = connection;
  const waiting = watchLag(context, connection, { groupId, topics: retryTopics.map(({ name }) => name) });
  watchState(context.metrics, () => ({
    requestsInFlight: queues.inFlight,
    requestsWaiting: queues.waiting,
    breakers: queues.breakers(),
    outstandingCalls: runner.outstanding.records,
    assignedPartitions: runner.assigned.length,
    waitingCalls: waiting.records,
    oldestDueAtMs: admission.oldestDueAtMs(runner),
  }));
}

async function start(context: DelivererContext, outside: DelivererOutside): Promise<Record<string, never>> {
  const { health, lifecycle, logger, metrics, nowMs } = context;
  const tracer = openTracer({ ...context, name: deliverer.name });
  const connection = await findRetryTopics(context, connect(context, outside));
  const telemetry = createTelemetry({ metrics, logger, nowMs });
  const writer = context.host.uuid();
  const attemptLog = openAttemptLog(context, connection, writer);
  const { limits, queues } = openEndpoints(context);
  const destinations = followDestinations(context, connection);
  const producer = connection.kafka.durableProducer({ anyPartition: [connection.topics.deadLetters.name] });
  openBreakerLog(context, connection, { producer, queues, writer });
  const waking = openWaking(context, connection, { producer, destinations, limits, queues });
  const delaysMs = new Map(connection.retryTopics.map(({ name, delayMs }) => [name, delayMs]));
  const maxAwaiting = maxHeldUp(context.settings);
  const admission = createJobAdmission({ destinations, maxAwaiting, queues, waking, nowMs, delaysMs });
  const observers = [telemetry, attemptLog, waking];
  const attempt = openEgress(context, { outside, limits, observers, tracer });
  const step = createStep(context, connection, { attempt, attemptLog, destinations, telemetry });
  const runner = createRunner(context, connection, { step, telemetry, admission, producer, waking });
  watch(context, connection, { runner, queues, admission });

  let isJoined = false;
  health.readiness("consumer group is joined", () => isJoined);
  await connection.serde.start();
  // Destinations load before the first job: one that is not there yet would cost a look for each of its jobs.
  await destinations.loaded();
  lifecycle.onStop("runner", (graceMs) =>
    runner.stop(Math.min(graceMs * SHARE_OF_GRACE, finishMs(context.settings))),
  );
  runner.failed.catch((error: unknown) => lifecycle.fail(error));
  waking.begin(runner, step);
  await runner.start();
  isJoined = true;
  return {};
}

/** The service in the world that `outside` leads to. */
export function createDeliverer(outside: DelivererOutside): ServiceDefinition<typeof settings> {
  return { name: "deliverer", settings, start: (context) => start(context, outside) };
}

export const deliverer = createDeliverer(MACHINE);
