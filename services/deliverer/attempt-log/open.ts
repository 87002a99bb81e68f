import type { Connection, DelivererContext } from "../connection.ts";
import { type AttemptLog, createAttemptLog } from "./attempt-log.ts";
import { SAMPLING_BOUNDS } from "./sampling.ts";
import { createAttemptWriter } from "./writer.ts";

/** Records of single requests leave so often. */
const SEND_EVERY_MS = 250;
const FLUSH_EVERY_MS = 10_000;

/** Opens the log of attempts under this id, unique to the run; what is in it is sent before the way to Kafka closes. Needs the serde before the first request. */
export function openAttemptLog(
  { host, lifecycle, metrics, nowMs, settings }: DelivererContext,
  { kafka, serde, topics }: Connection,
  writerId: string,
): AttemptLog {
  const dropped = metrics.counter({
    name: "delivery_attempt_records_dropped_total",
    help: "Records of attempts and totals dropped while Kafka was away; no call is lost.",
    labels: { kind: ["attempt", "total"] },
  });
  const producer = kafka.durableProducer();
  const writer = createAttemptWriter({
    topics,
    serde,
    producer,
    writerId,
    onDropped: (kind, count) => dropped.inc({ kind }, count),
  });
  const log = createAttemptLog({
    writer,
    nowMs,
    bounds: SAMPLING_BOUNDS[settings.delivery.recordedAttempts],
  });
  const sending = host.setInterval(() => writer.send(), SEND_EVERY_MS);
  const flushing = host.setInterval(() => log.flush(), FLUSH_EVERY_MS);
  lifecycle.onStop("attempt log", () => {
    sending.clear();
    flushing.clear();
    log.flush();
    writer.send();
  });
  return log;
}
