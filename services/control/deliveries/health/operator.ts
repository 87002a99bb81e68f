// The way to the operator's own webhook: a topic in which events wait until they are taken, and who sends them.
import type { OperationalEvent } from "#topics";
import { createEventSender } from "./event-sender.ts";
import type { Context, HealthParts } from "./parts.ts";
import { createEventObserver } from "./telemetry.ts";

/** Events under way at a time; more wait in their topic. */
const MAX_OUTSTANDING = { records: 20, bytes: 16 * 1024 * 1024 };

interface Operator {
  /** Resolves when the event is durable; at once when no webhook is configured, as nobody is to be told. */
  tell(event: OperationalEvent): Promise<void>;
}

export function openOperator(context: Context, parts: HealthParts): Operator {
  const { operatorUrl } = context.settings.health;
  if (operatorUrl === undefined) return { tell: async () => undefined };
  const { kafka, serde, topics } = parts;
  const topic = topics.operationalEvents;
  const producer = kafka.durableProducer();
  sendEvents(context, parts, operatorUrl);
  return {
    tell: (event) =>
      producer.send([{ topic: topic.name, key: event.destinationId, value: serde.encode(topic, event) }]),
  };
}

function sendEvents(context: Context, { ownedWork, serde, topics, egress }: HealthParts, url: string): void {
  const { lifecycle, logger, metrics, host, nowMs, settings: own } = context;
  const { stopping } = lifecycle;
  const sender = createEventSender({
    egress,
    url,
    secret: own.health.operatorSecret,
    userAgent: own.egress.userAgent,
    deadlineMs: own.egress.responseDeadlineMs,
    observer: createEventObserver(metrics, logger),
    wait: (delayMs) => host.delay(delayMs, stopping).catch(() => undefined),
    isStopping: () => stopping.aborted,
    nowMs,
  });
  ownedWork.add({
    topics: [topics.operationalEvents.name],
    decode: ({ value }) => serde.decode(topics.operationalEvents, value),
    step: sender.step,
    onRevoked: () => sender.revoked(),
    deadLetter({ partition, offset }, error) {
      logger.error({ err: error, partition, offset }, "an operational event cannot be read");
      return [];
    },
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    // What was not taken by then is not committed: it is read again.
    finishMs: own.egress.responseDeadlineMs,
  });
}
