// What the benchmark of the audience processor writes and reads: calls, audiences, identify calls, progress.

import { setTimeout as pause } from "node:timers/promises";
import { connect, type KafkaAndSerde } from "#connection";
import { SPACE_SOURCE } from "#contract";
import type { Producer } from "#kafka";
import type { Stack } from "#stack";
import { audience, call } from "#support/records";
import { until } from "#support/until";
import { type AudienceConfig, allTopics, type Call, callKey, type TopicMap, topicMap } from "#topics";
import { sampleCall } from "./calls.ts";
import { cpuSeconds } from "./cpu.ts";

const SHAPE = { partitions: 1, replicationFactor: 1, minInsyncReplicas: 1 };
const SENT_AT_A_TIME = 500;
export const LONG = { timeoutMs: 900_000 };

export interface Wire extends KafkaAndSerde {
  readonly producer: Producer;
  readonly topics: TopicMap;
  readonly prefix: string;
}

/** The bench's own topics, of one partition each. */
export async function openWire(stack: Stack): Promise<Wire> {
  const prefix = `bench${Date.now().toString(36)}-`;
  const topics = topicMap({ prefix, retryDelaysMs: [1_000] });
  const { kafka, serde } = connect({
    kafka: { brokers: stack.brokers, clientId: "bench", tls: false },
    registryUrl: stack.registryUrl,
    topics: allTopics(topics),
  });
  await kafka.admin().ensureTopics(allTopics(topics), SHAPE);
  await serde.register();
  return { kafka, serde, topics, prefix, producer: kafka.producer() };
}

let messages = 0;

export function callOf(userId: string, event: string, atMs = Date.now()): Call {
  messages += 1;
  const body = { ...sampleCall(), userId, event };
  return call({
    messageId: `018c2f6e-1111-7000-8000-${messages}`,
    ...{ sourceId: "src_bench", userId, event, timestampMs: atMs, receivedAtMs: atMs },
    body: Buffer.from(JSON.stringify(body)),
  });
}

function send({ producer, serde, topics }: Wire, calls: readonly Call[]): Promise<void> {
  return producer.send(
    calls.map((call) => ({
      topic: topics.calls.name,
      key: callKey(call.sourceId, call),
      value: serde.encode(topics.calls, call),
    })),
  );
}

export async function sendAll(wire: Wire, count: number, callAt: (index: number) => Call): Promise<void> {
  for (let at = 0; at < count; at += SENT_AT_A_TIME)
    await send(
      wire,
      Array.from({ length: Math.min(SENT_AT_A_TIME, count - at) }, (_, index) => callAt(at + index)),
    );
}

/** Calls at an even pace. */
export async function sendAtRate(
  wire: Wire,
  { rate, seconds }: { rate: number; seconds: number },
  call: () => Call,
) {
  const startedAtMs = performance.now();
  for (let sent = 0; sent < rate * seconds; ) {
    const due = Math.min(rate * seconds, Math.floor(((performance.now() - startedAtMs) * rate) / 1000));
    if (due > sent) await send(wire, Array.from({ length: due - sent }, call));
    sent = Math.max(sent, due);
    await pause(5);
  }
}

export function configOf(id: string, definition: unknown): AudienceConfig {
  const now = Date.now();
  return audience(id, { definition: JSON.stringify(definition), createdAtMs: now, updatedAtMs: now });
}

export async function configure(
  { producer, serde, topics }: Wire,
  id: string,
  definition: unknown,
): Promise<void> {
  const value = serde.encode(topics.audienceConfig, configOf(id, definition));
  await producer.send([{ topic: topics.audienceConfig.name, key: id, value }]);
}

async function readAll(
  { kafka }: Wire,
  topic: string,
  onRecord: Parameters<Wire["kafka"]["readRange"]>[0]["onRecord"],
) {
  const [{ low, high } = { low: 0, high: 0 }] = await kafka.admin().offsets(topic);
  await kafka.readRange({ topic, partition: 0, fromOffset: low, toOffset: high, onRecord });
}

/** Resolves with when it was. */
export async function untilLive(wire: Wire, ids: readonly string[]): Promise<number> {
  const missing = new Set(ids);
  const isThere = async () => {
    await readAll(wire, wire.topics.audienceProgress.name, async ({ value }) => {
      const progress = await wire.serde.decode(wire.topics.audienceProgress, value ?? Buffer.alloc(0));
      if (progress.state === "live") missing.delete(progress.id);
    });
    return missing.size === 0;
  };
  await until(isThere, { ...LONG, pollMs: 250, what: () => `${missing.size} audiences to be live` });
  return performance.now();
}

/** Identify calls of an audience, with when each was written and whose it is. */
export async function identifiesOf(wire: Wire, key: string) {
  const found: { userId: string; value: unknown; atMs: number }[] = [];
  await readAll(wire, wire.topics.calls.name, async ({ timestampMs, value }) => {
    const call = await wire.serde.decode(wire.topics.calls, value ?? Buffer.alloc(0));
    if (call.sourceId !== SPACE_SOURCE) return;
    const { traits } = JSON.parse(call.body.toString()) as { traits: Record<string, unknown> };
    if (key in traits) found.push({ userId: call.userId ?? "", value: traits[key], atMs: timestampMs });
  });
  return found;
}

/** The floor: the same records read, decoded and counted in a map. */
export async function bareLoop(wire: Wire): Promise<number> {
  const counts = new Map<string, number>();
  let calls = 0;
  const before = cpuSeconds();
  await readAll(wire, wire.topics.calls.name, async ({ value }) => {
    const call = await wire.serde.decode(wire.topics.calls, value ?? Buffer.alloc(0));
    const key = `${call.userId} ${call.event}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    calls += 1;
  });
  return ((cpuSeconds() - before) * 1e6) / calls;
}
