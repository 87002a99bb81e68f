// What the benchmark of the audience processor writes and reads: calls, audiences, identify calls, progress.

import { setTimeout as pause } from "node:timers/promises";
import { SPACE_SOURCE } from "#contract";
import type { Stack } from "#stack";
import { audience, call } from "#support/records";
import { until } from "#support/until";
import { openScratchWire, type ScratchWire } from "#support/wire";
import { type AudienceConfig, type Call, callKey } from "#topics";
import { sampleCall } from "./calls.ts";
import { cpuSeconds } from "./cpu.ts";

const SENT_AT_A_TIME = 500;
export const LONG = { timeoutMs: 900_000 };

export type Wire = ScratchWire;

/** The bench's own topics, of one partition each. */
export const openWire = (stack: Stack): Promise<Wire> => openScratchWire(stack, { partitions: 1 });

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

function send({ topics, write }: Wire, calls: readonly Call[]): Promise<void> {
  return write(topics.calls, ...calls.map((call) => [callKey(call.sourceId, call), call] as const));
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

/** Five audiences that a call of this name touches: short and long windows, conditions, traits, another event. */
export function definitionsOf(event: string): unknown[] {
  const where = [{ path: "properties.total", op: "gte", value: 50 }];
  return [
    { event, within: "30d" },
    { event, where, within: "7d", count: { op: "gte", value: 3 } },
    {
      all: [
        { event, within: "1d" },
        { trait: "plan", op: "in", value: ["pro", "team"] },
      ],
    },
    { all: [{ event, within: "90d", count: { op: "gte", value: 2 } }, { not: { event: "Cancelled" } }] },
    {
      any: [
        { event, count: { op: "gte", value: 100 } },
        { event, where, between: ["1d", "30d"] },
      ],
    },
  ];
}

export function configOf(id: string, definition: unknown): AudienceConfig {
  const now = Date.now();
  return audience(id, { definition: JSON.stringify(definition), createdAtMs: now, updatedAtMs: now });
}

export function configure({ topics, write }: Wire, id: string, definition: unknown): Promise<void> {
  return write(topics.audienceConfig, [id, configOf(id, definition)]);
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
