import type { Producer } from "#kafka";
import { endpointKey } from "#topics";
import type { Connection, DelivererContext } from "../connection.ts";
import { createLogLimit } from "../log-limit.ts";
import { BreakerLog } from "./breaker-log.ts";
import { DestinationLimits } from "./destination-limits.ts";
import { EndpointQueues } from "./endpoint-queues.ts";

/**
 * The time by which a wait may exceed its bound. There is one timer for all queues and limits, and none for a request.
 */
const SWEEP_EVERY_MS = 100;
/** Share of the time in which the event loop works or wants to, or lateness of a timer, from which on the process itself is what everything waits for. */
const BUSY = { share: 0.9, lateMs: 50 };
/** The delay with which a view shows a breaker. */
const BREAKERS_EVERY_MS = 500;
const LOG_PERIOD_MS = 60_000;
/** The part of what the process can hold that may wait for limits of destinations. */
const LIMITED_SHARE = 1 / 4;
/** The precision of a destination's rate; the timer runs only while somebody waits for it. */
const TICK_AFTER_MS = 5;

/** Queues of endpoints, and the limits that a request passes before it enters one. */
export function openEndpoints({ host, lifecycle, settings }: DelivererContext): {
  readonly queues: EndpointQueues;
  readonly limits: DestinationLimits;
} {
  const { maxInFlightPerEndpoint, maxOutstandingCalls } = settings.delivery;
  const queues = new EndpointQueues({
    maxInFlight: maxInFlightPerEndpoint,
    maxHeld: maxOutstandingCalls,
    retryDelaysMs: settings.retries.delaysMs,
  });
  const wantTick = () => void host.setTimeout(() => limits.tick(host.elapsed()), TICK_AFTER_MS);
  const maxWaiting = maxOutstandingCalls * LIMITED_SHARE;
  const limits: DestinationLimits = new DestinationLimits({ queues, maxWaiting, wantTick });
  const measure = () => ({ busyMs: host.busyMs(), coreMs: host.coreMs(), elapsedMs: host.elapsed() });
  let before = measure();
  const timer = host.setInterval(() => {
    const now = measure();
    const sinceMs = now.elapsedMs - before.elapsedMs;
    const share = Math.max(now.busyMs - before.busyMs, now.coreMs - before.coreMs) / sinceMs;
    before = now;
    queues.sweep(now.elapsedMs, share > BUSY.share || sinceMs - SWEEP_EVERY_MS > BUSY.lateMs);
    limits.sweep(now.elapsedMs);
  }, SWEEP_EVERY_MS);
  lifecycle.onStop("queues", () => timer.clear());
  return { queues, limits };
}

interface BreakerParts {
  readonly producer: Pick<Producer, "send">;
  readonly queues: EndpointQueues;
  readonly writer: string;
}

/** Reports breakers that are not closed, and their end. Needs the serde before the first request. */
export function openBreakerLog(
  { host, lifecycle, logger, nowMs }: DelivererContext,
  { serde, topics }: Pick<Connection, "serde" | "topics">,
  { producer, queues, writer }: BreakerParts,
): void {
  const topic = topics.endpointBreakers;
  const heldBackBefore = createLogLimit(LOG_PERIOD_MS, nowMs);
  const log = new BreakerLog({
    queues,
    writer,
    nowMs,
    elapsedMs: () => host.elapsed(),
    onError(error) {
      const heldBack = lifecycle.stopping.aborted ? undefined : heldBackBefore(topic.name);
      if (heldBack === undefined) return;
      logger.warn({ err: error, topic: topic.name, heldBack }, "breakers are not shown: Kafka refuses them");
    },
    write: (records) =>
      producer.send(
        records.map((record) => ({
          topic: topic.name,
          key: endpointKey(record.url),
          value: serde.encode(topic, record),
        })),
      ),
  });
  const timer = host.setInterval(() => log.flush(), BREAKERS_EVERY_MS);
  lifecycle.onStop("breaker log", () => {
    timer.clear();
    log.end();
  });
}
