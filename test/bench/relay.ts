// Relays in the product's place, between the same generator and the same endpoints. The bare one is a process that reads, parses, answers and
// hands on, and keeps nothing. The log relay has the product's two hops through Kafka, and nothing else (go/logrelay).
import { randomBytes } from "node:crypto";
import { type Admin, createKafka } from "#kafka";
import type { Stack } from "#stack";
import { NO_REQUESTS } from "./kafka-requests.ts";
import { startLoad } from "./load.ts";
import { type Program, startGoProgram, startProgram } from "./process.ts";
import { brokerUsage, type Endpoints, PARTITIONS, type Subject } from "./rig.ts";
import { type Usage, usageOf } from "./usage.ts";

export interface Relay extends Subject {
  readonly name: string;
  readonly stop: () => Promise<void>;
}

const KEPT_FOR_AN_HOUR = { policy: "delete", retentionMs: 3_600_000 } as const;

const originsOf = ({ sink }: Endpoints): string[] => sink.ports.map((port) => `http://127.0.0.1:${port}`);

async function usageIn(name: string, { pid }: Program): Promise<[string, Usage][]> {
  const usage = await usageOf(pid);
  return usage === undefined ? [] : [[name, usage]];
}

function subjectOf(program: Program, usage: () => Promise<[string, Usage][]>): Subject {
  return {
    load: (options) => startLoad([`http://127.0.0.1:${program.ports[0]}`], options),
    usage: async () => new Map(await usage()),
    requests: async () => new Map(),
  };
}

export async function startBareRelay(endpoints: Endpoints): Promise<Relay> {
  const name = "bare relay";
  const program = await startProgram("bare-relay", originsOf(endpoints));
  return { name, ...subjectOf(program, () => usageIn(name, program)), stop: program.stop };
}

async function withAdmin(
  brokers: readonly string[],
  work: (admin: Admin) => Promise<unknown>,
): Promise<void> {
  const kafka = createKafka({ brokers, clientId: "bench", tls: false });
  try {
    await work(kafka.admin());
  } finally {
    await kafka.close();
  }
}

/** On the product's own broker, in topics of its own, which it deletes when it is stopped. */
export async function startLogRelay(
  stack: Pick<Stack, "brokers">,
  endpoints: Endpoints,
  lingerMs: number,
): Promise<Relay> {
  const { brokers } = stack;
  const prefix = `relay-${randomBytes(4).toString("hex")}-`;
  const topics = [`${prefix}first`, `${prefix}second`];
  const specs = topics.map((name) => ({ name, cleanup: KEPT_FOR_AN_HOUR }));
  const shape = { partitions: PARTITIONS, replicationFactor: 1, minInsyncReplicas: 1 };
  await withAdmin(brokers, (admin) => admin.ensureTopics(specs, shape));
  const given = { brokers, topics, group: prefix, lingerMs, origins: originsOf(endpoints) };
  const program = await startGoProgram("logrelay", [JSON.stringify(given)]);
  const usage = async () => [...(await brokerUsage(stack)), ...(await usageIn("log relay", program))];
  return {
    name: `log relay, linger ${lingerMs} ms`,
    ...subjectOf(program, usage),
    async requests() {
      const byApi = new Map(Object.entries(await program.ask<Record<string, number>>("requests")));
      return new Map([["log relay", { ...NO_REQUESTS, byApi }]]);
    },
    async stop() {
      await program.stop();
      await withAdmin(brokers, (admin) => admin.deleteTopics(topics));
    },
  };
}
