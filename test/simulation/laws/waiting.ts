import { EPOCH_MS } from "#testing/host";
import { topicMap } from "#topics";
import type { Plan } from "../plan/plan.ts";
import { law } from "./story.ts";

/** How far a process's clock is ahead at most, ms: also where it was set back, and the process is another by the time at which it is set right. */
export function aheadMs({ faults, processes }: Plan, process: string): number {
  const skewMs = processes.find(({ name }) => name === process)?.skewMs ?? 0;
  const jumpsMs = faults.map((fault) =>
    fault.kind === "clock" && fault.target === process ? fault.byMs : 0,
  );
  return skewMs + jumpsMs.reduce((sum, each) => sum + Math.abs(each), 0);
}

/** A retry topic has one delay: what stands in it for longer holds up all that is behind it. */
export const jobsWaitInTheirTopic = law(
  "a waiting job comes out within its topic's delay",
  function* (story) {
    const { retryDelaysMs } = story.plan.timing;
    const retries = topicMap({ prefix: "", retryDelaysMs }).deliveryRetries;
    const delayOf = new Map(retries.map(({ name }, tier) => [name, retryDelaysMs[tier] ?? 0]));
    for (const { atMs, process, record, value } of story.jobs) {
      const delayMs = delayOf.get(record.topic);
      if (delayMs === undefined) continue;
      const waitsMs = value.visibleAtMs - EPOCH_MS - atMs - aheadMs(story.plan, process);
      if (waitsMs > delayMs)
        yield `${value.messageId} to ${value.destinationId}, written by ${process} at ${atMs} ms, waits ${waitsMs} ms in ${record.topic}`;
    }
  },
);
