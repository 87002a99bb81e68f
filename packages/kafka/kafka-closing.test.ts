// The order in which what is above a cluster ends.
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Cluster } from "./cluster.ts";
import { recordingLogger } from "./fixtures/recording-logger.ts";
import { StubPollClient } from "./fixtures/stub-poll-client.ts";
import { StubSession } from "./fixtures/stub-session.ts";
import type { Kafka } from "./interface.ts";
import { createKafkaOn } from "./kafka.ts";

/** Closings in the order in which they began and ended. */
let said: string[];
/** Resolved by a test: until then no session ends. */
let sessionsMayEnd: PromiseWithResolvers<void>;

class SlowSession extends StubSession {
  override async stop(): Promise<void> {
    const [topic] = this.options.topics;
    said.push(`${topic} stops`);
    await sessionsMayEnd.promise;
    said.push(`${topic} stopped`);
  }
}

function newKafka(): Kafka {
  said = [];
  sessionsMayEnd = Promise.withResolvers();
  const group = { generation: 0 };
  const cluster: Partial<Cluster> = {
    newSession: (options, handlers) => new SlowSession(options, handlers, group),
    newProduceClient: () => ({
      send: async () => [],
      reset: () => undefined,
      close: async () => void said.push("producer closed"),
    }),
    admin: { use: () => Promise.reject(new Error("away")) } as unknown as Cluster["admin"],
    pollClient: new StubPollClient(),
    close: async () => void said.push("cluster closed"),
  };
  const { logger } = recordingLogger();
  return createKafkaOn(cluster as Cluster, { logger, host: systemHost });
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function openRunner(kafka: Kafka, topic: string): void {
  const runner = kafka.runner<string>({
    groupId: "g",
    topics: [topic],
    maxOutstandingRecords: 1,
    maxOutstandingBytes: 1,
    producer: kafka.producer(),
    decode: ({ value }) => String(value),
    step: (_, settle) => settle({ produce: [] }),
    deadLetter: () => [],
  });
  runner.start().catch(() => undefined);
}

test("runners end at once with each other; then what they write with", async () => {
  const kafka = newKafka();
  openRunner(kafka, "runner 1");
  openRunner(kafka, "runner 2");
  await turns();
  const closed = kafka.close();
  await turns();
  expect(said).toEqual(["runner 1 stops", "runner 2 stops"]);
  sessionsMayEnd.resolve();
  await closed;
  expect(said.slice(2, 4)).toEqual(["runner 1 stopped", "runner 2 stopped"]);
  expect(said.slice(4)).toEqual(["producer closed", "producer closed", "cluster closed"]);
});

test("a table that loads ends when the way to Kafka is closed", async () => {
  const kafka = newKafka();
  const loading = kafka.table<string>({ topic: "t", decode: ({ value }) => String(value) }).load();
  loading.catch(() => undefined);
  await kafka.close();
  await expect(loading).rejects.toMatchObject({ code: "closed" });
});
