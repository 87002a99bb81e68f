import type { Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { type RawServer, startRawServer } from "#support/raw-server";
import { until } from "#support/until";
import {
  record,
  type ScratchKafka,
  type ScratchTest,
  scratchKafka,
  startRunner,
  useScratchKafka,
} from "../fixtures/scratch-kafka.ts";

const LONGEST_MS = 60_000;

let given: ScratchTest;
let seed: RawServer;
let clients: ScratchKafka;

useScratchKafka((test) => {
  given = test;
});

afterEach(async () => {
  await clients.close();
  await seed.close();
});

test.each<[string, (socket: Socket) => unknown]>([
  ["answers nothing", () => undefined],
  ["ends each connection, as a load balancer with nothing behind it", (socket) => socket.end()],
])(
  "all clients go on with the next seed where the first %s, and begin with that from then on",
  async (_, onData) => {
    const [topic = ""] = await given.scratch.topics(["t"], 1);
    seed = await startRawServer(onData);
    clients = scratchKafka([`127.0.0.1:${seed.port}`, ...given.brokers]);
    const { kafka } = clients;
    const producer = kafka.producer();
    const seen: string[] = [];
    await Promise.all([
      kafka.admin().partitionCount(topic),
      producer.send([record(topic, "k")]),
      startRunner(clients, {
        topics: [topic],
        producer,
        step({ decoded }, settle) {
          seen.push(decoded);
          settle({ produce: [] });
        },
      }),
    ]);
    await until(() => seen.length > 0, { timeoutMs: LONGEST_MS, what: "the record" });
    const tried = seed.received.length;
    expect(tried).toBeGreaterThan(0);
    // These have connections of their own.
    await kafka.producer().send([record(topic, "k")]);
    await kafka.nextTerm(topic, undefined);
    expect(seed.received.length).toBe(tried);
  },
  LONGEST_MS,
);
