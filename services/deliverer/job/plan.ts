// The plan for a job that came out of its topic. Pure.
import type { DeadLetterReason } from "#contract";
import type { DeliveryJob } from "#topics";
import type { DestinationState, ReachableDestination } from "../destinations.ts";
import { type Retries, retriesWith, type Waiting, waitFrom } from "./waiting.ts";

export interface Dead {
  readonly kind: "dead";
  readonly reason: DeadLetterReason;
  readonly message: string;
  /** The job with every outcome so far. */
  readonly job: DeliveryJob;
}

export interface Delivered {
  readonly kind: "delivered";
}

/** Waits as it is: nothing has become of it. It comes again under the same job id, equally far. */
interface Pause extends Omit<Waiting, "kind"> {
  readonly kind: "pause";
}

interface AttemptPlan {
  readonly kind: "attempt";
  readonly destination: ReachableDestination;
  /** The webhooks to ask. */
  readonly urls: readonly string[];
}

/**
 * A job that is due later than its topic's delay held it hops on without an attempt (contract 3.5); undefined: it is due.
 * It hops from the moment at which it should have come out, or every hop would add its lateness and the last attempt
 * would fall out of the window; but from at most one shortest delay ago, so that a retry topic stays in due order to
 * within that much, whatever pause the process comes back from.
 */
export function planHop(job: DeliveryJob, retries: Retries, nowMs: number): Waiting | undefined {
  // It came out ahead of its time: a clock was ahead when it was written (intake/job-admission.ts), and no time of it is to be believed.
  const isAhead = job.visibleAtMs > nowMs;
  const { delaysMs } = retries;
  const dueAtMs = isAhead ? Math.min(job.dueAtMs, nowMs + (delaysMs.at(-1) ?? 0)) : job.dueAtMs;
  if (dueAtMs <= nowMs) return undefined;
  const [shortestMs = 0] = delaysMs;
  const fromMs = isAhead ? nowMs : Math.max(job.visibleAtMs, nowMs - shortestMs);
  return waitFrom({ ...job, dueAtMs }, fromMs, retries);
}

export type Plan = AttemptPlan | Pause | Dead | Delivered;

export interface Now {
  readonly nowMs: number;
  readonly retries: Retries;
}

/**
 * Waits on in the topic with the longest delay, which costs least: who ends the pause wakes it. undefined: it has waited for as long as
 * it may.
 */
function planPause(
  job: DeliveryJob,
  { sinceMs, limitMs, ownRetries }: Extract<DestinationState, { kind: "paused" }>,
  { nowMs, retries: installed }: Now,
): Pause | undefined {
  const retries = retriesWith(ownRetries, installed);
  const pausedSinceMs = Math.min(job.pausedSinceMs ?? nowMs, nowMs);
  // An earlier pause, whose end the job has not met, does not count in what this one allows.
  const fromMs = Math.max(pausedSinceMs, Math.min(sinceMs, nowMs));
  const endsAtMs = limitMs === undefined ? retries.schedule.windowEndsAtMs(fromMs) : fromMs + limitMs;
  if (endsAtMs <= nowMs) return undefined;
  const dueAtMs = Math.min(endsAtMs, nowMs + (retries.delaysMs.at(-1) ?? 0));
  return { ...waitFrom({ ...job, pausedSinceMs, dueAtMs }, nowMs, retries), kind: "pause" };
}

/**
 * The job as it goes on when its destination is not paused any more. Pauses that ended before it came out of
 * its topic are those that the destination has had since. The pause that it met is known even where control,
 * of an earlier version, has not written how long it lasted.
 */
export function afterPause(
  job: DeliveryJob,
  destination: Pick<ReachableDestination, "pausedMs">,
  nowMs: number,
) {
  const { destinationPausedMs, firstAttemptAtMs, pausedMs, pausedSinceMs } = job;
  // A pause cannot be taken out of a window before the first attempt: there is none yet.
  if (firstAttemptAtMs === null) return pausedSinceMs === null ? job : { ...job, pausedSinceMs: null };
  const metMs = nowMs - (pausedSinceMs ?? nowMs);
  const hadMs = destination.pausedMs - (destinationPausedMs ?? destination.pausedMs);
  const more = Math.max(0, metMs, hadMs);
  if (more === 0 && pausedSinceMs === null && destinationPausedMs === destination.pausedMs) return job;
  return {
    ...job,
    pausedSinceMs: null,
    pausedMs: pausedMs + more,
    destinationPausedMs: destination.pausedMs,
  };
}

/**
 * The live configuration decides (contract 3.6): a retry goes to the webhooks whose last outcome was retryable (3.4) and
 * to those that came with a later configuration, by URL. A job that fell due within its window is attempted however late
 * we are: our own pause is not the endpoint's failure (decision 71).
 */
export function planAttempt(job: DeliveryJob, state: DestinationState, now: Now): Plan {
  const pause = state.kind === "paused" ? planPause(job, state, now) : undefined;
  if (pause !== undefined) return pause;
  if (job.unaskedUrls.length > 0) return planUnasked(job, state);
  switch (state.kind) {
    case "paused":
      return {
        kind: "dead",
        reason: "destination_paused",
        message: "the destination was paused for longer than its calls may wait",
        job,
      };
    case "gone":
      return planGone(job);
    case "disabled":
      return {
        kind: "dead",
        reason: "destination_disabled",
        message: "the destination is switched off",
        job,
      };
    case "unreadable":
    case "active":
      return planRequests(job, state);
  }
}

/** Plans a job whose destination was deleted: nothing waits for it. */
export function planGone(job: DeliveryJob): Dead | Delivered {
  if (job.unaskedUrls.length > 0) return { kind: "delivered" };
  return { kind: "dead", reason: "destination_gone", message: "the destination was deleted", job };
}

/** A webhook has taken the call already: what keeps the others from being asked is no failure of it. */
function planUnasked({ unaskedUrls }: DeliveryJob, state: DestinationState): AttemptPlan | Delivered {
  const isReachable = state.kind === "active" || state.kind === "unreadable";
  const urls = isReachable ? state.urls.filter((url) => unaskedUrls.includes(url)) : [];
  return isReachable && urls.length > 0
    ? { kind: "attempt", destination: state, urls }
    : { kind: "delivered" };
}

function planRequests(job: DeliveryJob, destination: ReachableDestination): AttemptPlan | Dead {
  const urls = urlsLeft(job, destination);
  if (urls.length > 0) return { kind: "attempt", destination, urls };
  return { kind: "dead", reason: "permanent", message: "no webhook is left that could still take it", job };
}

function urlsLeft({ outcomes }: DeliveryJob, { urls }: ReachableDestination): readonly string[] {
  const failedForGood = outcomes.filter(({ kind }) => kind === "permanent").map(({ url }) => url);
  // Nothing has failed before a first attempt, and most are first attempts: they need no new list.
  return failedForGood.length === 0 ? urls : urls.filter((url) => !failedForGood.includes(url));
}
