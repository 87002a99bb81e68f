// A world in which nothing goes wrong but what a test does: for suites of the services that run in it.
import { inRealEvent } from "../host/real-event.ts";
import type { CallPlan, Plan, ProcessPlan, ServiceName } from "../plan/plan.ts";
import { Clients } from "./clients.ts";
import { Fleet } from "./fleet.ts";
import { Operator } from "./operator.ts";
import { World } from "./world.ts";

const WEBHOOK = "https://destination.test/1";

export interface QuietWorld {
  readonly world: World;
  readonly fleet: Fleet;
  /** Message ids of the calls that their customers were told are stored. */
  readonly stored: string[];
  /** Lets time pass until so many milliseconds after the world's beginning. */
  until(ms: number): Promise<void>;
  /** Message ids of the calls that the webhook took, in order. */
  delivered(): string[];
  /** Writes a record that nobody of the product would. */
  writeRaw(topic: string, key: string, value: Buffer): void;
}

const processOf = (service: ServiceName): ProcessPlan => ({
  name: `${service}-1`,
  service,
  startMs: 0,
  skewMs: 0,
});

const PLAN: Plan = {
  seed: 1,
  brokers: 3,
  partitions: 2,
  timing: {
    retryDelaysMs: [1_000, 3_000],
    retryWindowMs: 600_000,
    dedupeWindowMs: 3_600_000,
    calmMs: 0,
    endMs: 0,
  },
  processes: [processOf("ingest"), processOf("webhook-router"), processOf("deliverer")],
  destinations: [
    { id: "destination", urls: [WEBHOOK], callTypes: null, maxRequestsPerSecond: null, maxInFlight: null },
  ],
  scripts: [{ url: WEBHOOK, usually: { kind: "well", fromMs: 1, toMs: 20 }, phases: [] }],
  calls: [],
  changes: [],
  replays: [],
  faults: [],
};

/** Calls of ten users, one every `everyMs`. */
export function callsFrom(startMs: number, count: number, everyMs = 10): CallPlan[] {
  return Array.from({ length: count }, (_, index) => ({
    messageId: `m${startMs + index * everyMs}`,
    userId: `u${index % 10}`,
    type: "track",
    atMs: startMs + index * everyMs,
    againAfterMs: undefined,
  }));
}

/** One process of each service and one webhook that takes calls, unless told otherwise; time stands still until `until`. */
export function startWorld(changes: Partial<Plan> = {}): QuietWorld {
  const world = new World({ ...PLAN, ...changes });
  const fleet = new Fleet(world);
  const stored: string[] = [];
  const { createKafka } = world.ways("stranger", world.host("stranger"));
  const stranger = createKafka({ brokers: [], clientId: "stranger", tls: false }).producer();
  new Operator(world).begin();
  fleet.begin();
  new Clients({
    time: world.time,
    random: world.random.split("clients"),
    entrances: () => fleet.entrances,
    onStored: ({ messageId }) => void stored.push(messageId),
  }).begin(world.plan.calls);
  return {
    world,
    fleet,
    stored,
    until: (ms) => inRealEvent(() => world.time.runUntil(ms)),
    writeRaw: (topic, key, value) => void stranger.send([{ topic, key, value }]),
    delivered: () =>
      world.endpoints.requests.filter(({ status }) => status === 200).map(({ messageId }) => messageId),
  };
}
