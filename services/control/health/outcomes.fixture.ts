// What deliverers write of attempts and dead letters, written by a test; and the health that came of it, read back.
import { createKafka, type Kafka } from "#kafka";
import { createSerde } from "#serde";
import type { ControlService } from "#support/control-service";
import { until } from "#support/until";
import type { DeadLetter, DeliveryAttempt } from "#topics";

const TIMEOUT_MS = 45_000;
export const WEBHOOK = "https://example.com/services/XXXX";

export interface Outcomes {
  /** One attempt that ended now. */
  attempted(destinationId: string, outcome: string): Promise<void>;
  died(destinationId: string, reason: string): Promise<void>;
  /** Resolves when what every attempt led to is written. */
  untilAttemptsAreSettled(): Promise<void>;
  /** What has been written of a destination's health, oldest first; null is its end. */
  writtenHealth(destinationId: string): Promise<(Buffer | null)[]>;
}

export async function openOutcomes({
  prefix,
  stack,
  topics,
}: ControlService): Promise<Outcomes & { closeOutcomes(): Promise<void> }> {
  const { deliveryAttempts, deadLetters } = topics;
  const serde = createSerde({ registryUrl: stack.registryUrl, topics: [deliveryAttempts, deadLetters] });
  await serde.start();
  const kafka = createKafka({ brokers: stack.brokers, tls: false, clientId: "health-test" });
  const producer = kafka.producer();
  const admin = kafka.admin();
  let sequence = 0;

  return {
    async attempted(destinationId, outcome) {
      sequence += 1;
      const record = attemptRecord({ destinationId, outcome, sequence, startedAtMs: Date.now() });
      const value = serde.encode(deliveryAttempts, record);
      await producer.send([{ topic: deliveryAttempts.name, key: destinationId, value }]);
    },
    async died(destinationId, reason) {
      const value = serde.encode(deadLetters, deadLetterRecord(destinationId, reason, Date.now()));
      await producer.send([{ topic: deadLetters.name, key: destinationId, value }]);
    },
    async untilAttemptsAreSettled() {
      const { name } = deliveryAttempts;
      const areSettled = async (): Promise<boolean> => {
        const committed = await admin.committedOffsets(`${prefix}control-health`, name);
        const offsets = await admin.offsets(name);
        return offsets.every(({ partition, high }) => (committed.get(partition) ?? 0) === high);
      };
      await until(areSettled, { timeoutMs: TIMEOUT_MS, what: "the attempts to be settled" });
    },
    writtenHealth: (destinationId) => valuesOf(kafka, topics.destinationHealth.name, destinationId),
    async closeOutcomes() {
      serde.close();
      await kafka.close();
    },
  };
}

async function valuesOf(kafka: Kafka, topic: string, wanted: string): Promise<(Buffer | null)[]> {
  const found: (Buffer | null)[] = [];
  for (const { partition, low, high } of await kafka.admin().offsets(topic)) {
    const onRecord = ({ key, value }: { key: string | null; value: Buffer | null }): void => {
      if (key === wanted) found.push(value);
    };
    await kafka.readRange({ topic, partition, fromOffset: low, toOffset: high, onRecord });
  }
  return found;
}

function attemptRecord({
  destinationId,
  outcome,
  sequence,
  startedAtMs,
}: Pick<DeliveryAttempt, "destinationId" | "outcome" | "sequence" | "startedAtMs">): DeliveryAttempt {
  return {
    writer: "test",
    sequence,
    destinationId,
    jobId: `j${sequence}`,
    messageId: `m${sequence}`,
    sourceId: "s",
    type: "track",
    url: WEBHOOK,
    attempt: 1,
    outcome,
    retryable: outcome !== "success",
    status: outcome === "http_5xx" ? 503 : null,
    message: outcome === "success" ? "" : `it was ${outcome}`,
    startedAtMs,
    durationMs: 0,
    replayId: null,
    suppressed: 0,
  };
}

function deadLetterRecord(destinationId: string, reason: string, deadAtMs: number): DeadLetter {
  return {
    id: "j",
    reason,
    message: "",
    deadAtMs,
    destinationId,
    shard: 0,
    sourceId: "s",
    messageId: "m",
    type: "track",
    receivedAtMs: Date.now(),
    attempts: 1,
    firstAttemptAtMs: Date.now(),
    replayId: null,
    outcomes: [],
    origin: "delivery-jobs-0-0",
    body: Buffer.from("{}"),
  };
}
