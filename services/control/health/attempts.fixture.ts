// The control service with an operator's webhook; the test stands in for the deliverer and writes what it would have found.
import { createKafka } from "#kafka";
import { createSerde } from "#serde";
import { type ControlService, startControl } from "#support/control-service";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import type { DeadLetter, DeliveryAttempt } from "#topics";

export const OPERATOR_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TIMEOUT_MS = 45_000;

interface OperatorEvent {
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

export interface HealthStage {
  readonly control: ControlService;
  readonly operator: Receiver;
  readonly settings: Readonly<Record<string, string>>;
  /** A destination that is on, with one webhook; gives its id. */
  create(more?: object): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  view(id: string): Promise<any>;
  /** One attempt that ended now. */
  attempted(destinationId: string, outcome: string): Promise<void>;
  /** Attempts of this outcome follow each other until it holds. */
  attemptUntil(destinationId: string, outcome: string, holds: () => Promise<boolean>): Promise<void>;
  died(destinationId: string, reason: string): Promise<void>;
  events(destinationId: string): OperatorEvent[];
  untilEvent(destinationId: string, type: string): Promise<OperatorEvent>;
  close(): Promise<void>;
}

const WEBHOOK = "https://example.com/services/XXXX";
/** What answers and events show of it. */
export const SHOWN_WEBHOOK = "https://example.com/services/***#3fcdcd";

export async function startHealthStage(): Promise<HealthStage> {
  const operator = await startReceiver();
  const settings = {
    HOOKLINE_FAILING_AFTER: "500ms",
    HOOKLINE_RECOVERED_AFTER: "500ms",
    HOOKLINE_OPERATOR_WEBHOOK_URL: operator.url("/events"),
    HOOKLINE_OPERATOR_WEBHOOK_SECRET: OPERATOR_SECRET,
  };
  const control = await startControl({ settings });
  const { stack, topics } = control;
  const { deliveryAttempts, deadLetters } = topics;
  const serde = createSerde({ registryUrl: stack.registryUrl, topics: [deliveryAttempts, deadLetters] });
  await serde.start();
  const kafka = createKafka({ brokers: stack.brokers, tls: false, clientId: "health-test" });
  const producer = kafka.producer();
  let sequence = 0;

  async function attempted(destinationId: string, outcome: string): Promise<void> {
    sequence += 1;
    const record = attemptRecord(destinationId, outcome, sequence);
    const value = serde.encode(deliveryAttempts, record);
    await producer.send([{ topic: deliveryAttempts.name, key: destinationId, value }]);
  }

  function events(destinationId: string): OperatorEvent[] {
    const all = operator.requestsTo("/events").map(({ text }) => JSON.parse(text) as OperatorEvent);
    return all.filter(({ data }) => data.destinationId === destinationId);
  }

  return {
    control,
    operator,
    settings,
    async create(more = {}) {
      const body = { name: "Shop", sourceIds: [], enabled: true, webhooks: [{ url: WEBHOOK }], ...more };
      return (await control.ask("/v1/destinations", { body })).body.id;
    },
    view: async (id) => (await control.ask(`/v1/destinations/${id}`)).body,
    attempted,
    async attemptUntil(destinationId, outcome, holds) {
      const what = (): string => `it to hold after ${sequence} attempts`;
      await until(
        async () => {
          await attempted(destinationId, outcome);
          return await holds();
        },
        { timeoutMs: TIMEOUT_MS, pollMs: 100, what },
      );
    },
    async died(destinationId, reason) {
      const value = serde.encode(deadLetters, deadLetterRecord(destinationId, reason));
      await producer.send([{ topic: deadLetters.name, key: destinationId, value }]);
    },
    events,
    untilEvent: (destinationId, type) =>
      until(() => events(destinationId).find((event) => event.type === type), {
        timeoutMs: TIMEOUT_MS,
        what: () => `${type}; there came ${events(destinationId).map((event) => event.type)}`,
      }),
    async close() {
      await control.stop();
      serde.close();
      await kafka.close();
      await operator.close();
    },
  };
}

function attemptRecord(destinationId: string, outcome: string, sequence: number): DeliveryAttempt {
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
    startedAtMs: Date.now(),
    durationMs: 0,
    replayId: null,
    suppressed: 0,
  };
}

function deadLetterRecord(destinationId: string, reason: string): DeadLetter {
  return {
    id: "j",
    reason,
    message: "",
    deadAtMs: Date.now(),
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
