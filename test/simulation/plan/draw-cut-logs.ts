import type { Random } from "#testing";
import { topicMap } from "#topics";
import type { Fault, Plan } from "./plan.ts";

/** In so many worlds. */
const SHARE = 0.06;
const EARLIEST_MS = 6_000;

/** The same world in which leaders are elected that lack what was acknowledged last; in most worlds nothing changes. */
export function withCutLogs(plan: Plan, random: Random): Plan {
  if (!random.chance(SHARE)) return plan;
  const added = Array.from({ length: random.pick([1, 1, 2]) }, (_, index): Fault => {
    const own = random.split(`election ${index}`);
    const atMs = drawTime(plan, own);
    const lostRecords = own.pick([1, 3, 10, 40]);
    const topic = drawTopic(plan, own);
    return { id: `u${index + 1}`, atMs, forMs: 1, kind: "unclean_election", topic, lostRecords };
  });
  return { ...plan, faults: [...plan.faults, ...added] };
}

/** Often while a process is away, and does not see it. */
function drawTime({ faults, timing: { calmMs } }: Plan, random: Random): number {
  const away = faults.filter(({ kind }) => kind === "kill" || kind === "stop" || kind === "freeze");
  const fault = away[Math.floor(random.next() * away.length)];
  const atMs =
    fault !== undefined && random.chance(0.4)
      ? fault.atMs + random.between(0, fault.forMs)
      : random.between(EARLIEST_MS, calmMs - 1);
  return Math.min(Math.max(atMs, EARLIEST_MS), calmMs - 1);
}

/** Of what routers and deliverers read. */
function drawTopic({ timing }: Plan, random: Random): string {
  const topics = topicMap({ prefix: "", retryDelaysMs: timing.retryDelaysMs });
  const retry = topics.deliveryRetries[Math.floor(random.next() * topics.deliveryRetries.length)];
  return random.pick([
    topics.calls.name,
    topics.calls.name,
    topics.deliveryJobs.name,
    topics.deliveryJobs.name,
    retry?.name ?? topics.deliveryJobs.name,
  ]);
}
