// What an attempt means for its job. Pure.
import type { DeliveryJob } from "#topics";
import type { ReachableDestination } from "./destinations.ts";
import { mergeOutcomes, type WebhookResult } from "./outcomes.ts";
import type { Dead } from "./plan.ts";
import { type Retries, type Waiting, waitFrom } from "./waiting.ts";

export type JobVerdict = { readonly kind: "delivered" } | Waiting | Dead;

export interface AttemptReport {
  /** As it was before the attempt. */
  readonly job: DeliveryJob;
  /** One for each webhook that the attempt went to. */
  readonly results: readonly WebhookResult[];
  /** Of the configuration that the attempt was made with: all its webhooks, tried or not. */
  readonly destination: Pick<ReachableDestination, "urls">;
}

/**
 * Delivered at one success (contract 3.2). Else it is dead when no webhook can be retried or the window leaves no room
 * for another attempt (3.4), and waits otherwise. The wait is one for all webhooks, so it is as long as the longest
 * Retry-After among them (3.3).
 */
export function judge(
  { job, results, destination }: AttemptReport,
  retries: Retries,
  nowMs: number,
): JobVerdict {
  if (results.some(({ outcome }) => outcome.kind === "success")) return { kind: "delivered" };
  const firstAttemptAtMs = job.firstAttemptAtMs ?? Math.min(...results.map(({ startedAtMs }) => startedAtMs));
  const tried: DeliveryJob = {
    ...job,
    attempts: job.attempts + 1,
    firstAttemptAtMs,
    outcomes: mergeOutcomes(job, results),
  };
  if (!tried.outcomes.some(({ kind, url }) => kind === "retryable" && destination.urls.includes(url))) {
    return { kind: "dead", reason: "permanent", message: "no webhook can be retried", job: tried };
  }
  const dueAtMs = retries.schedule.nextDueAtMs({
    firstAttemptAtMs,
    attempts: tried.attempts,
    nowMs,
    retryAfterMs: longestRetryAfterMs(results),
  });
  if (dueAtMs === undefined) {
    return { kind: "dead", reason: "window_over", message: "the window for retries is over", job: tried };
  }
  return waitFrom({ ...tried, dueAtMs }, nowMs, retries);
}

function longestRetryAfterMs(results: readonly WebhookResult[]): number {
  const waitsMs = results.map(({ outcome }) => ("retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 0) : 0));
  return Math.max(0, ...waitsMs);
}
