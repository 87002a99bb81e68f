import { EPOCH_MS } from "#testing/host";
import type { DeliveryJob } from "#topics";
import type { Plan, Timing } from "../plan/plan.ts";
import { sentOf, takes } from "./expectations.ts";
import { callKey, keyAt } from "./identity.ts";
import { isUntried } from "./job-events.ts";
import { law, type Story } from "./story.ts";

/** A destination gets the calls that it takes, by their type and its filter; a replay was wanted there whatever they are. */
export const onlyWhatIsTakenIsSent = law("a destination gets only what it takes", function* ({ jobs, plan }) {
  const callOf = new Map(plan.calls.map((call) => [callKey(sentOf(call)), call]));
  const destinationOf = new Map(plan.destinations.map((destination) => [destination.id, destination]));
  for (const { value } of jobs.filter(isUntried)) {
    const call = callOf.get(callKey(value));
    const destination = destinationOf.get(value.destinationId);
    if (value.replayId !== null || call === undefined || destination === undefined) continue;
    if (!takes(destination, call)) yield `${keyAt(value, value.destinationId)}, which does not take it`;
  }
});

/** The longest Retry-After of an endpoint here. */
const RETRY_AFTER_MS = 5_000;
const MAX_JITTER_STEPS = 5;

/** Up to a tenth more than the delay, in steps of the shortest topic's, five at most. */
function spreadMs(delayMs: number, { retryDelaysMs }: Timing): number {
  const stepMs = Math.min(...retryDelaysMs);
  return Math.min(Math.ceil(delayMs / 10 / stepMs), MAX_JITTER_STEPS) * stepMs;
}

function delayOf({ destinations, timing }: Plan, { attempts, destinationId }: DeliveryJob): number {
  const own = destinations.find(({ id }) => id === destinationId)?.retryDelaysMs;
  const delays = own ?? timing.retryDelaysMs;
  return delays[Math.max(attempts, 1) - 1] ?? delays.at(-1) ?? 0;
}

/** A window that ends takes from a delay; a clock that is wrong may. */
function mayBeEarly(
  { destinations, faults, processes, timing }: Plan,
  { destinationId }: DeliveryJob,
): boolean {
  const own = destinations.find(({ id }) => id === destinationId)?.retryWindowMs;
  const isWrong = faults.some(({ kind }) => kind === "clock") || processes.some(({ skewMs }) => skewMs !== 0);
  return isWrong || (own ?? timing.retryWindowMs) < timing.endMs;
}

/**
 * A webhook of it waits for the destination's own limit, or in a pause: its turn may come later than the retry of the others. One that was
 * asked in an earlier attempt keeps what came of that.
 */
function waitsForTurn({ attempts, jobId, outcomes }: DeliveryJob, jobs: Story["jobs"]): boolean {
  const before = jobs.filter(({ value }) => value.jobId === jobId && value.attempts < attempts);
  const known = before.flatMap(({ value }) => value.outcomes);
  return outcomes.some(({ atMs, kind, reason, url }) => {
    const isOld = known.some((earlier) => earlier.url === url && earlier.atMs === atMs);
    return kind === "retryable" && (reason === "diverted" || isOld);
  });
}

/** A call that failed is due again when its destination's schedule says so. */
export const dueTimesFollowSchedules = law(
  "a retry is due by its destination's schedule",
  function* ({ jobs, plan }) {
    for (const written of jobs) {
      const { value } = written;
      if (value.failedAtMs === null || value.pausedSinceMs !== null || isUntried(written)) continue;
      const waitsMs = value.dueAtMs - value.failedAtMs;
      const delayMs = delayOf(plan, value);
      const longestMs = Math.max(delayMs + spreadMs(delayMs, plan.timing), RETRY_AFTER_MS);
      const isLate = waitsMs > longestMs && !waitsForTurn(value, jobs);
      if (!isLate && (waitsMs >= delayMs || mayBeEarly(plan, value))) continue;
      yield `${keyAt(value, value.destinationId)} failed at ${value.failedAtMs - EPOCH_MS} ms and is due at ${value.dueAtMs - EPOCH_MS} ms`;
    }
  },
);
