// Turns calls into delivery jobs; what happens to one of them stands in route-calls.ts.
import { join } from "node:path";
import { REAL_WAYS, type Ways, watchLag } from "#connection";
import type { Runner } from "#kafka";
import { countRecordsLost, type ServiceDefinition } from "#runtime";
import { LOCAL_DISK, type WindowDisk } from "#state";
import { openTracer, type Tracer, traceStep } from "#tracing";
import { createCallsLog } from "./calls-log.ts";
import { settings } from "./config.ts";
import { createConfirmations } from "./confirmations.ts";
import { type Connection, connect, type RouterContext } from "./connection.ts";
import { createDedupeWindows, type DedupeWindows } from "./dedupe-windows.ts";
import { type Destinations, followDestinations } from "./destinations.ts";
import { FilterTurns } from "./filter-turns.ts";
import { createRecords } from "./records.ts";
import { createRouteCalls } from "./route-calls.ts";
import { createRecordCall } from "./routed-calls.ts";
import { spanOf } from "./span.ts";
import { followSuppressions, type Suppressions } from "./suppressions.ts";
import { createTelemetry, watchState } from "./telemetry.ts";

/**
 * Calls taken and not settled. Jobs are acknowledged within some 20 ms, so 20,000 calls a second need 400 of them; more only grow
 * old in memory (measured on a backlog: 47 µs CPU a call with 20,000, 32 µs with 2,000, the difference being garbage collection).
 */
const MAX_OUTSTANDING = { records: 2_000, bytes: 32 * 1024 * 1024 };

/**
 * The bound on jobs that Kafka has not acknowledged: above it no further call becomes jobs. A call may become
 * a thousand jobs of its size, so a bound on calls is not enough. Two thousand calls of 1 KB with ten
 * destinations each stay below.
 */
const MAX_UNWRITTEN_BYTES = 32 * 1024 * 1024;

/**
 * What became of calls gathers for as long as offsets do before a commit. With the linger of jobs each request of jobs would have one of
 * records behind it.
 */
const RECORDED_CALLS_LINGER_MS = 100;

/** The systems outside the process. */
export interface RouterOutside extends Ways {
  readonly windowDisk: WindowDisk;
}

const MACHINE: RouterOutside = { ...REAL_WAYS, windowDisk: LOCAL_DISK };

function openWindows(context: RouterContext, connection: Connection, disk: WindowDisk): DedupeWindows {
  const { settings: own, logger, health, lifecycle, host } = context;
  const windows = createDedupeWindows({
    directory: join(own.data.dataDir, "webhook-router", connection.topics.calls.name),
    windowMs: own.dedupe.windowMs,
    disk,
    log: createCallsLog({ ...connection, admin: connection.kafka.admin() }),
    logger: logger.child("dedupe"),
    host,
    onDiskError: (error) => lifecycle.fail(error),
  });
  lifecycle.onStop("duplicate windows", () => windows.close());
  health.readiness("duplicate windows are open", () => {
    const { opening } = windows;
    return opening.length === 0 || `opening partitions ${opening.join(", ")}`;
  });
  return windows;
}

interface RunnerParts {
  readonly windows: DedupeWindows;
  readonly destinations: Destinations;
  readonly suppressions: Suppressions;
  readonly tracer: Tracer;
}

function createRunner(
  { metrics, logger, nowMs, host, settings: own }: RouterContext,
  { topics, kafka, serde, groupId }: Connection,
  { windows, destinations: { index, load }, suppressions, tracer }: RunnerParts,
): Runner {
  const telemetry = createTelemetry({ metrics, logger, nowMs });
  const records = createRecords({ topics, serde, nowMs });
  const look = async (): Promise<void> => void (await Promise.all([load(), suppressions.confirm()]));
  const confirmations = createConfirmations({ look, host, logger });
  const producer = kafka.durableProducer({ anyPartition: [topics.deadLetters.name] });
  const turns = new FilterTurns(host, () => producer.backlog.bytes < MAX_UNWRITTEN_BYTES);
  const recordCall = createRecordCall(own.routing.recordedCalls, { topics, serde });
  const routing = { windows, confirmations, turns, suppressions, destinations: index };
  const step = createRouteCalls({ ...routing, records, recordCall, telemetry });
  return kafka.runner({
    groupId,
    topics: [topics.calls.name],
    // A tombstone has no place among calls and is undecodable.
    decode: ({ value }) => serde.decode(topics.calls, value),
    step: traceStep(step, tracer, spanOf),
    deadLetter(record, error) {
      telemetry.rejected(record, error);
      windows.skip(record);
      return [records.deadLetter(record, error)];
    },
    producer,
    producerAfter: kafka.durableProducer({
      lingerMs: RECORDED_CALLS_LINGER_MS,
      anyPartition: [topics.routedCalls.name],
    }),
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    handsOverQuickly: true,
    async onAssigned() {
      telemetry.rebalanced();
    },
    openPartition: (partition) => windows.open(partition),
    onRevoked(partitions) {
      windows.revoked(partitions);
      confirmations.revoked(partitions);
      turns.revoked(partitions);
    },
    onRecordsLost: countRecordsLost(metrics, [topics.calls.name]),
  });
}

async function start(context: RouterContext, outside: RouterOutside): Promise<Record<string, never>> {
  const { health, lifecycle, metrics } = context;
  const tracer = openTracer({ ...context, name: webhookRouter.name });
  const connection = connect(context, outside);
  const destinations = followDestinations(context, connection);
  const suppressions = followSuppressions(context, connection);
  const windows = openWindows(context, connection, outside.windowDisk);
  const runner = createRunner(context, connection, { windows, destinations, suppressions, tracer });
  const lag = watchLag(context, connection, {
    groupId: connection.groupId,
    topics: [connection.topics.calls.name],
    counts: ({ partition }) => runner.assigned.some((own) => own.partition === partition),
  });
  watchState(metrics, () => ({
    assignedPartitions: runner.assigned.length,
    outstandingCalls: runner.outstanding.records,
    openingWindows: windows.opening.length,
    lagCalls: lag.records,
  }));
  let isJoined = false;
  health.readiness("consumer group is joined", () => isJoined);
  await connection.serde.start();
  // Both load before the first call: one that came to an empty table would be dropped for having no
  // destination, or sent for a suppressed user.
  await Promise.all([destinations.load(), suppressions.load()]);
  lifecycle.onStop("runner", (graceMs) => runner.stop(graceMs));
  runner.failed.catch((error: unknown) => lifecycle.fail(error));
  await runner.start();
  isJoined = true;
  return {};
}

/** The service in the world that `outside` leads to. */
export function createWebhookRouter(outside: RouterOutside): ServiceDefinition<typeof settings> {
  return { name: "webhook-router", settings, start: (context) => start(context, outside) };
}

export const webhookRouter = createWebhookRouter(MACHINE);
