// The consequence of an attempt for its job. Pure.
import { type DivertReason, type FailedAttempt, retrySpread } from "#contract";
import type { DeliveryJob } from "#topics";
import type { ReachableDestination } from "../destinations.ts";
import { type DivertedResult, isDiverted, mergeOutcomes, type PartResult, wantedRoom } from "../outcomes.ts";
import type { Dead, Delivered } from "./plan.ts";
import { type Retries, retriesWith, type Waiting, waitFrom } from "./waiting.ts";

/** A job that comes so long after it was due, or two shortest delays, comes late through our own fault. */
const MIN_LATE_MS = 1_000;

/** Waits without that a request was made. */
interface Divert extends Omit<Waiting, "kind"> {
  readonly kind: "divert";
  readonly reason: DivertReason;
}

export type JobVerdict = Delivered | Waiting | Divert | Dead;

export interface AttemptReport {
  /** The job as it was before the attempt. */
  readonly job: DeliveryJob;
  /** One for each webhook that the attempt went to, or was to go to. */
  readonly results: readonly PartResult[];
  /** The configuration that the attempt was made with: all its webhooks, tried or not. */
  readonly destination: Pick<ReachableDestination, "urls" | "ownRetries" | "pausedMs">;
}

/**
 * Delivered at one success (contract 3.2), as soon as every webhook was asked or is ill: one that wanted room is still to be asked
 * (decision 71).
 */
export function judge(report: AttemptReport, installed: Retries, nowMs: number): JobVerdict {
  const { job, results } = report;
  const isTaken = job.unaskedUrls.length > 0 || results.some(({ outcome }) => outcome.kind === "success");
  if (!isTaken) return judgeFailure(report, installed, nowMs);
  const unasked = results.filter(wantedRoom);
  if (unasked.length === 0) return { kind: "delivered" };
  const unaskedUrls = unasked.map(({ url }) => url);
  const left = { ...report, results: unasked, job: { ...job, unaskedUrls } };
  const verdict = judgeFailure(left, installed, nowMs);
  return verdict.kind === "dead" ? { kind: "delivered" } : verdict;
}

/**
 * It is dead when no webhook can be retried or the window leaves no room
 * for another attempt (3.4), and waits otherwise. The wait is one for all webhooks, so it is as long as the longest
 * Retry-After among them (3.3). When no webhook was asked at all, it is the job that was diverted.
 */
function judgeFailure(report: AttemptReport, installed: Retries, nowMs: number): Waiting | Divert | Dead {
  const { results, destination } = report;
  const diverted = divertedBy(results);
  const tried = triedJob(report, diverted, nowMs);
  if (!tried.outcomes.some(({ kind, url }) => kind === "retryable" && destination.urls.includes(url))) {
    return { kind: "dead", reason: "permanent", message: "no webhook can be retried", job: tried };
  }
  // A queued job does not back off, and the delays that its destination has chosen are for failures.
  const isQueued = diverted?.outcome.reason === "rate_limited";
  const { ownRetries: own } = destination;
  const retries = retriesWith(isQueued && own !== undefined ? { ...own, delaysMs: null } : own, installed);
  const failed: FailedAttempt = {
    firstAttemptAtMs: Math.min((tried.firstAttemptAtMs ?? nowMs) + tried.pausedMs, nowMs),
    attempts: isQueued ? 1 : diverted === undefined ? tried.attempts : position(tried),
    nowMs,
    // No window has begun that could be over.
    endsAtMs: tried.firstAttemptAtMs === null ? Number.MAX_SAFE_INTEGER : undefined,
    retryAfterMs: isQueued ? turnOf(tried, results, retries) : longestWaitMs(results),
    spread: retrySpread(tried.jobId, position(tried)),
  };
  const next =
    diverted === undefined ? nextAttempt(failed, retries) : nextChance(failed, report.job, retries);
  if (next.dueAtMs === undefined)
    return overdue({ ...tried, ...next, dueAtMs: report.job.dueAtMs }, diverted);
  const waiting = waitFrom({ ...tried, ...next, dueAtMs: next.dueAtMs }, nowMs, retries);
  return diverted === undefined ? waiting : { ...waiting, kind: "divert", reason: diverted.outcome.reason };
}

/** Why no webhook was asked; a wait for the destination's own limit says most: but for it one would have been. */
function divertedBy(results: readonly PartResult[]): DivertedResult | undefined {
  if (!results.every(isDiverted)) return undefined;
  return results.find(({ outcome }) => outcome.reason === "rate_limited") ?? results[0];
}

/** A call whose window has begun tries again at the pace of one that was diverted: its turn may come when the window is over. */
function turnOf(tried: DeliveryJob, results: readonly PartResult[], { delaysMs }: Retries): number {
  const backOffMs = delaysMs[position(tried) - 1] ?? delaysMs.at(-1) ?? 0;
  const turnInMs = longestWaitMs(results);
  return tried.firstAttemptAtMs === null ? turnInMs : Math.min(turnInMs, backOffMs);
}

interface Next {
  /** undefined: the window leaves no room. */
  readonly dueAtMs: number | undefined;
  readonly lastChanceUntilMs: number | null;
}

function nextAttempt(failed: FailedAttempt, { schedule }: Retries): Next {
  return { dueAtMs: schedule.nextDueAtMs(failed), lastChanceUntilMs: null };
}

/**
 * The next chance of a job that was not asked. The window may have ended while this service was away, or too
 * busy to come to the job: then the job has as long again to be asked once, or it would die for a failure
 * that is not its endpoint's (decision 71).
 */
function nextChance(failed: FailedAttempt, job: DeliveryJob, { delaysMs, schedule }: Retries): Next {
  const { nowMs } = failed;
  const inWindow = job.lastChanceUntilMs === null ? schedule.nextDueAtMs(failed) : undefined;
  const lateMs = nowMs - job.dueAtMs;
  const isOurs = job.firstAttemptAtMs !== null && lateMs > Math.max(MIN_LATE_MS, 2 * (delaysMs[0] ?? 0));
  const endsAtMs = job.lastChanceUntilMs ?? (isOurs ? schedule.windowEndsAtMs(nowMs) : null);
  if (inWindow !== undefined || endsAtMs === null) return { dueAtMs: inWindow, lastChanceUntilMs: null };
  return { dueAtMs: schedule.nextDueAtMs({ ...failed, endsAtMs }), lastChanceUntilMs: endsAtMs };
}

function overdue(job: DeliveryJob, diverted: DivertedResult | undefined): Dead {
  if (diverted === undefined || (job.attempts > 0 && job.lastChanceUntilMs === null))
    return { kind: "dead", reason: "window_over", message: "the window for retries is over", job };
  const message = `the window for retries is over, and no webhook could be asked: ${diverted.outcome.reason}`;
  return { kind: "dead", reason: "not_asked", message, job };
}

/**
 * How far the job has come. A job that is diverted again and again backs off by it, or a million of them would come round every ten seconds;
 * after an attempt only attempts count (contract 3.5).
 */
export function position({ attempts, diverts }: Pick<DeliveryJob, "attempts" | "diverts">): number {
  return attempts + diverts;
}

/**
 * The window begins with the first attempt (contract 3.5); for a job that was diverted before any, with the first divert: that
 * is when it would have been attempted. Waiting for a limit that the destination has set for itself does not begin it (4.4), unless another
 * webhook has taken the call.
 */
function triedJob(
  { destination, job, results }: AttemptReport,
  diverted: DivertedResult | undefined,
  nowMs: number,
) {
  const isTaken = job.unaskedUrls.length > 0;
  const hasBegun = job.firstAttemptAtMs !== null || isTaken || diverted?.outcome.reason !== "rate_limited";
  return {
    ...job,
    attempts: job.attempts + (diverted === undefined ? 1 : 0),
    diverts: job.diverts + (diverted === undefined ? 0 : 1),
    // No window begins later than now, whatever a clock that was ahead says.
    firstAttemptAtMs: hasBegun ? Math.min(job.firstAttemptAtMs ?? firstStartMs(results, nowMs), nowMs) : null,
    // Pauses from before its first attempt are no part of its window.
    destinationPausedMs: job.firstAttemptAtMs === null ? destination.pausedMs : job.destinationPausedMs,
    failedAtMs: diverted === undefined ? nowMs : null,
    outcomes: mergeOutcomes(job, results),
  };
}

function firstStartMs(results: readonly PartResult[], nowMs: number): number {
  return Math.min(nowMs, ...results.map((result) => (isDiverted(result) ? nowMs : result.startedAtMs)));
}

function longestWaitMs(results: readonly PartResult[]): number {
  const waitsMs = results.map((result) => {
    if (isDiverted(result)) return result.turnInMs?.() ?? 0;
    return "retryAfterMs" in result.outcome ? (result.outcome.retryAfterMs ?? 0) : 0;
  });
  return Math.max(0, ...waitsMs);
}
