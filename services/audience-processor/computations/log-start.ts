// Where in a partition's log the calls begin that leaves look back on.
import type { LeafUse } from "#audiences";
import type { Host } from "#host";
import { type Admin, atPartition, type Kafka } from "#kafka";
import type { LeafRegistry } from "./leaf-registry.ts";

/** An event's time in the log may be before the time of its call, by so much as clocks differ. */
const CLOCKS_DIFFER_MS = 600_000;

interface LogStartParts {
  readonly topic: string;
  readonly partition: number;
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsetForTime">;
  readonly host: Pick<Host, "now">;
  readonly registry: LeafRegistry;
  readonly signal: AbortSignal;
}

interface Sought {
  readonly uses: readonly LeafUse[];
  readonly fenceOffset: number;
}

/** The first event that one of the leaves can still count, from `low` on; says of each leaf whether the log is shorter than it looks back. */
export async function findStart(
  parts: LogStartParts,
  { fenceOffset, uses }: Sought,
  low: number,
): Promise<number> {
  const { host, registry } = parts;
  const logFromMs = low === 0 ? Number.NEGATIVE_INFINITY : await timeOf(parts, low);
  const starts = uses.map((use) => startMs(use, host.now()));
  uses.forEach(({ plan }, place) => {
    const isPartial = logFromMs > (starts[place] ?? 0);
    registry.update(plan.leaf.key, { isPartial, coverageFromMs: isPartial ? logFromMs : null });
  });
  // A bucket counts as long as its newest call.
  const widths = uses.map(({ plan }) => (Number.isFinite(plan.bucketMs) ? plan.bucketMs : 0));
  const fromMs = Math.min(...starts) - Math.max(...widths) - CLOCKS_DIFFER_MS;
  if (fromMs <= Math.max(0, logFromMs)) return Math.min(low, fenceOffset);
  return Math.min(fenceOffset, Math.max(low, await offsetAt(parts, fromMs)));
}

function startMs({ plan }: LeafUse, nowMs: number): number {
  return Math.max(plan.leaf.window.afterMs, nowMs - plan.lookBackMs);
}

async function timeOf({ kafka, partition, signal, topic }: LogStartParts, offset: number): Promise<number> {
  let atMs = Number.NEGATIVE_INFINITY;
  const onRecord = ({ timestampMs }: { timestampMs: number }): void => {
    atMs = timestampMs;
  };
  await kafka.readRange({ topic, partition, fromOffset: offset, toOffset: offset + 1, signal, onRecord });
  return atMs;
}

async function offsetAt({ admin, partition, topic }: LogStartParts, timeMs: number): Promise<number> {
  const found = await admin.offsetForTime(topic, Math.floor(timeMs), partition);
  return atPartition(found, partition).offset;
}
