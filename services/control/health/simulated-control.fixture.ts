// Control's watch over health as a process in a simulated world; its HTTP side and its other parts are left out.
import { expect } from "@jest/globals";
import { createLifecycle } from "#runtime";
import { allTopics, DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { EPOCH_MS } from "../../../test/simulation/host/virtual-host.ts";
import { Meters } from "../../../test/simulation/world/meters.ts";
import type { QuietWorld } from "../../../test/simulation/world/quiet-world.fixture.ts";
import { createChangeQueue } from "../change-queue.ts";
import { createConfigStore } from "../config-store.ts";
import { attempt, deadLetter, WEBHOOK } from "../delivery-index/records.fixture.ts";
import { openHealth } from "./open.ts";
import type { Context, HealthBook } from "./parts.ts";

const OPERATOR = "https://operator.test/events";

export interface Options {
  readonly operatorUrl?: string | undefined;
}

/** Events that the operator's webhook was sent, by every process; it answers with `status`. */
export function operator() {
  const sent: { readonly process: string; readonly type: string; readonly data: Record<string, unknown> }[] =
    [];
  return { sent, status: 204 };
}

/** The way of one process to the simulated Kafka. */
function connect(quiet: QuietWorld, name: string) {
  const { logs, topics } = quiet.world;
  const host = quiet.world.host(name);
  const { createKafka, createSerde } = quiet.world.ways(name, host);
  const logger = logs.logger(name);
  const lifecycle = createLifecycle({ graceMs: 25_000, logger, host });
  const kafka = createKafka({ brokers: [], clientId: name, tls: false });
  lifecycle.onStop("Kafka", () => kafka.close());
  const serde = createSerde({ registryUrl: "http://simulated", topics: allTopics(topics), host });
  const table = kafka.table<DestinationConfig>({
    topic: topics.destinationConfig.name,
    decode: ({ value }) => serde.decode(topics.destinationConfig, value ?? Buffer.alloc(0)),
  });
  const producer = kafka.producer();
  const destinations = createConfigStore({ topic: topics.destinationConfig, table, producer, serde });
  return {
    destinations,
    host,
    kafka,
    lifecycle,
    logger,
    metrics: new Meters(),
    producer,
    serde,
    table,
    topics,
  };
}

type Connected = ReturnType<typeof connect>;

function contextOf({ host, lifecycle, logger, metrics }: Connected, options: Options): Context {
  const operatorUrl = "operatorUrl" in options ? options.operatorUrl : OPERATOR;
  const health = { failingAfterMs: 10_000, recoveredAfterMs: 60_000, operatorUrl, operatorSecret: undefined };
  const egress = { userAgent: "Hookline/1.0", responseDeadlineMs: 5_000 };
  const settings = { health, topics: { prefix: "" }, egress };
  return { settings, lifecycle, logger, metrics, host, nowMs: () => host.now() } as unknown as Context;
}

/** What deliverers and people would write. */
function writer({ destinations, host, producer, serde, topics }: Connected) {
  return {
    destination(changes: Partial<DestinationConfig>): void {
      void destinations.put({
        ...DESTINATION_DEFAULTS,
        id: "d1",
        name: "Shop",
        enabled: true,
        sourceIds: ["s1"],
        webhooks: [{ url: WEBHOOK, headers: [] }],
        version: 1,
        createdAtMs: EPOCH_MS,
        updatedAtMs: EPOCH_MS,
        ...changes,
      });
    },
    attempt(outcome: string): void {
      const ended = attempt({ outcome, retryable: outcome !== "success", startedAtMs: host.now() });
      const value = serde.encode(topics.deliveryAttempts, ended);
      void producer.send([{ topic: topics.deliveryAttempts.name, key: "d1", value }]);
    },
    deadLetter(reason: string): void {
      const value = serde.encode(topics.deadLetters, deadLetter({ reason, deadAtMs: host.now() }));
      void producer.send([{ topic: topics.deadLetters.name, key: "d1", value }]);
    },
  };
}

export function control(
  quiet: QuietWorld,
  name: string,
  told: ReturnType<typeof operator>,
  options: Options = {},
) {
  const connected = connect(quiet, name);
  const { destinations, host, lifecycle, metrics, serde, table } = connected;
  async function post({ body, url }: { readonly body: Buffer; readonly url: string }) {
    expect(url).toBe(OPERATOR);
    told.sent.push({ process: name, ...JSON.parse(body.toString()) });
    return { kind: "response" as const, status: told.status, retryAfter: undefined, durationMs: 1, body };
  }
  const egress = { post, close: async () => undefined };
  const started: { book?: HealthBook; status?: number } = {};
  const open = async (): Promise<void> => {
    await serde.start();
    await table.load();
    const changes = createChangeQueue(host);
    const parts = { ...connected, changes, partitions: 2, egress };
    started.book = await openHealth(contextOf(connected, options), parts);
  };
  void open();
  return {
    name,
    destinations,
    metrics,
    write: writer(connected),
    started,
    stop(): void {
      void lifecycle.stop().then((status) => {
        started.status = status;
      });
    },
    unwell: (state: string) => metrics.value("control_unwell_destinations", { state }),
  };
}

export type Control = ReturnType<typeof control>;
