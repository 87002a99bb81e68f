// The control service with an operator's webhook; the test stands in for the deliverer and writes what it would have found.
import { partitionOfKey } from "#kafka";
import { type ControlService, startControl } from "#support/control-service";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { type Outcomes, openOutcomes, WEBHOOK } from "./outcomes.fixture.ts";

export const OPERATOR_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const TIMEOUT_MS = 45_000;
/** Of the control service of a test. */
const PARTITIONS = 2;

interface OperatorEvent {
  readonly type: string;
  readonly timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

export interface HealthStage extends Outcomes {
  readonly control: ControlService;
  readonly operator: Receiver;
  readonly settings: Readonly<Record<string, string>>;
  /** A destination that is on, with one webhook; gives its id. */
  create(more?: object): Promise<string>;
  /** Destinations of which one is in each partition. */
  onePerPartition(): Promise<string[]>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  view(id: string): Promise<any>;
  /** Attempts of this outcome follow each other until it holds. */
  attemptUntil(destinationId: string, outcome: string, holds: () => Promise<boolean>): Promise<void>;
  events(destinationId: string): OperatorEvent[];
  untilEvent(destinationId: string, type: string): Promise<OperatorEvent>;
  close(): Promise<void>;
}

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
  const outcomes = await openOutcomes(control);

  function events(destinationId: string): OperatorEvent[] {
    const all = operator.requestsTo("/events").map(({ text }) => JSON.parse(text) as OperatorEvent);
    return all.filter(({ data }) => data.destinationId === destinationId);
  }

  async function create(more: object = {}): Promise<string> {
    const body = { name: "Shop", sourceIds: [], enabled: true, webhooks: [{ url: WEBHOOK }], ...more };
    return (await control.ask("/v1/destinations", { body })).body.id;
  }

  return {
    ...outcomes,
    control,
    operator,
    settings,
    create,
    async onePerPartition() {
      const found = new Map<number, string>();
      while (found.size < PARTITIONS) {
        const id = await create();
        found.set(partitionOfKey(id, PARTITIONS), id);
      }
      return [...found.values()];
    },
    view: async (id) => (await control.ask(`/v1/destinations/${id}`)).body,
    async attemptUntil(destinationId, outcome, holds) {
      let attempts = 0;
      const what = (): string => `it to hold after ${attempts} attempts`;
      await until(
        async () => {
          attempts += 1;
          await outcomes.attempted(destinationId, outcome);
          return await holds();
        },
        { timeoutMs: TIMEOUT_MS, pollMs: 100, what },
      );
    },
    events,
    untilEvent: (destinationId, type) =>
      until(() => events(destinationId).find((event) => event.type === type), {
        timeoutMs: TIMEOUT_MS,
        what: () => `${type}; there came ${events(destinationId).map((event) => event.type)}`,
      }),
    async close() {
      await control.stop();
      await outcomes.closeOutcomes();
      await operator.close();
    },
  };
}
