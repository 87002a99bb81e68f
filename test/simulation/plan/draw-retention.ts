import type { Random } from "#testing";
import { topicMap } from "#topics";
import type { Fault, FaultKind, Plan } from "./plan.ts";

/** In so many worlds logs are cleaned. */
const SHARE = 0.2;

const EARLIEST_MS = 6_000;

/** The same world in which brokers remove records: old ones, read or not, and those that newer ones of their key stand for. */
export function withRetention(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const added = Array.from({ length: random.between(1, 4) }, (_, index): Fault => {
    const own = random.split(`removal ${index}`);
    return { id: `l${index + 1}`, atMs: drawTime(plan, own), forMs: 1, ...drawKind(plan, own) };
  });
  return { ...plan, faults: [...plan.faults, ...added] };
}

/** Mostly while a process is away, and its records wait. */
function drawTime({ faults, timing: { calmMs } }: Plan, random: Random): number {
  const away = faults.filter(({ kind }) => kind === "kill" || kind === "stop" || kind === "freeze");
  const fault = away[Math.floor(random.next() * away.length)];
  const atMs =
    fault !== undefined && random.chance(0.7)
      ? fault.atMs + random.between(0, fault.forMs)
      : random.between(EARLIEST_MS, calmMs - 2_000);
  return Math.max(atMs, EARLIEST_MS);
}

function drawKind({ timing }: Plan, random: Random): FaultKind {
  if (random.chance(0.3)) return { kind: "compaction" };
  const topics = topicMap({ prefix: "", retryDelaysMs: timing.retryDelaysMs });
  const retry = topics.deliveryRetries[Math.floor(random.next() * topics.deliveryRetries.length)];
  const topic = random.pick([
    topics.calls.name,
    topics.deliveryJobs.name,
    retry?.name ?? topics.deliveryJobs.name,
    topics.deadLetters.name,
    topics.deliveryAttempts.name,
  ]);
  return { kind: "retention", topic, keptRecords: random.pick([0, 2, 5, 20]) };
}
