import type { DeliveryJob } from "#topics";
import type { WaitingPlace } from "./reader.ts";

export interface WaitingJob {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly job: DeliveryJob;
}

export type WaitingState = "queued" | "waiting" | "paused";

export function waitingState({ dueAtMs, pausedSinceMs }: DeliveryJob): WaitingState {
  if (pausedSinceMs !== null) return "paused";
  return dueAtMs === 0 ? "queued" : "waiting";
}

/** Of copies the one that has come furthest. */
export function newest(jobs: readonly WaitingJob[]): WaitingJob[] {
  const byId = new Map<string, WaitingJob>();
  for (const waiting of jobs) {
    const known = byId.get(waiting.job.jobId);
    if (known === undefined || stepsOf(known.job) <= stepsOf(waiting.job))
      byId.set(waiting.job.jobId, waiting);
  }
  return [...byId.values()];
}

function stepsOf({ attempts, diverts }: DeliveryJob): number {
  return attempts + diverts;
}
