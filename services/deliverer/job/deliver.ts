// One delivery job, from its record to its end. Every job leaves memory: delivered, acknowledged in a retry topic, or
// acknowledged in the dead letters; only then is its record done.
//
// The process may die between any two lines. What the record then leads to, when its partition is read again from the
// last commit (its offset is committed only after `settle`'s records are acknowledged):
// - before a request started: nothing has happened; the next owner does the same again.
// - after requests started, before their outcome was settled: the endpoint may have the call, we do not know it; it gets
//   the call again with the same messageId, which is its idempotency key (contract 1.7).
// - settled, but not acknowledged: as above.
// - acknowledged in a retry topic or the dead letters, but not committed: the attempt is made again, and the job waits
//   twice. Its copies carry the same job id and have come equally far (attempts plus diverts), so the process in which they
//   fall due attempts the first and ends the second with it; what both became of may stand twice in the dead letters,
//   under one id. So may one that its partition did not say to have taken, in that partition and in another.
// - failed or diverted while its destination was deleted: it ends as a dead letter; until that is acknowledged, as above.
// - diverted, acknowledged, but not committed: as above, without a request. Read again, the job may find its endpoint well:
//   then it is delivered, and once more by its copy in the retry topic, with the same messageId.
// - delivered, but not committed (at most one commit interval): the call is sent once more, as above.
// - taken by one webhook while another wanted room: the record goes on to wait for the other. Until that is acknowledged, both are asked again.
// - put off, because its destination is paused: as diverted; its copies are dealt with when they come out. One that comes out before the
//   write is acknowledged waits for that, and is looked at again.
// - given back, because its partition may be another's by now: no request was started for it since, and nothing written, also
//   where it had been settled, and that was not sent. Its record is read, or stepped, again; requests of it that had failed before
//   are made again with it.
// - a job the router emitted twice after its own crash: the second is recognised by its id and ends with the first.
// So a call is never lost, and it is doubled only where an endpoint's answer was not on disk when the process died.
import type { Step } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DestinationState, Destinations } from "../destinations.ts";
import type { Attempt, MakeAttempt } from "../requests/attempts.ts";
import {
  beginJob,
  type EndingParts,
  guarded,
  isSameJob,
  type JobInProgress,
  type JobRecord,
  joinsJobInProgress,
} from "./job-in-progress.ts";
import { type JobVerdict, judge } from "./judge.ts";
import { afterPause, type Plan, planAttempt, planGone, planHop } from "./plan.ts";
import type { Retries, Waiting } from "./waiting.ts";

export interface DeliverOptions extends EndingParts {
  readonly retries: Retries;
  readonly destinations: Destinations;
  readonly attempt: MakeAttempt;
  readonly nowMs: () => number;
}

/** The step of the deliverer's runner. */
export function createDeliver(options: DeliverOptions): Step<DeliveryJob> {
  const { nowMs, retries, telemetry } = options;
  const turn: Turn = { of: undefined };
  return (record, settle, claim) => {
    const hop = planHop(record.decoded, retries, nowMs());
    if (hop !== undefined) {
      letHop({ record, settle, claim }, hop, options);
      return;
    }
    const inProgress = beginJob({ record, settle, claim }, options);
    if (inProgress !== undefined)
      guarded(inProgress, telemetry, () => lookAtDestination(inProgress, turn, options));
  };
}

/**
 * The turn of a job that is given back after it waited to hear of its destination. If its partition is still
 * read here, the job is stepped again before `giveBack` returns, and goes on with what was heard. Otherwise
 * the calls that waited behind it would pass it.
 */
interface Turn {
  of: { readonly job: DeliveryJob; readonly heard: DestinationState } | undefined;
}

/** A job that was woken meanwhile must not live on as its hop. */
function letHop(
  jobRecord: JobRecord,
  hop: Waiting,
  { recentJobs, records }: Pick<DeliverOptions, "recentJobs" | "records">,
): void {
  const giveBack = (): void => jobRecord.claim.giveBack();
  if (!joinsJobInProgress(jobRecord, recentJobs))
    jobRecord.settle({ produce: [records.waiting(hop)], giveBack });
}

function lookAtDestination(inProgress: JobInProgress, turn: Turn, options: DeliverOptions): void {
  const { destinations, telemetry } = options;
  const { decoded: job } = inProgress.record;
  const { destinationId } = job;
  const goOn = (state: DestinationState): void =>
    proceed(inProgress, planNow(inProgress, state, options), options);
  if (turn.of !== undefined && isSameJob(turn.of.job, job)) {
    goOn(turn.of.heard);
    return;
  }
  const state = destinations.state(destinationId);
  const isHeardOf = state.kind === "active" || planNow(inProgress, state, options).kind === "pause";
  const waitsBehind = destinations.isAwaited(destinationId) || turn.of?.job.destinationId === destinationId;
  if (isHeardOf && !waitsBehind) {
    goOn(state);
    return;
  }
  // The state is not to be believed before the configuration's topic was read to its end.
  void destinations.confirmed(destinationId).then((heard) =>
    guarded(inProgress, telemetry, () => {
      if (inProgress.claim.isOurs) goOn(heard);
      else giveTurnBack(inProgress, turn, heard);
    }),
  );
}

function giveTurnBack(inProgress: JobInProgress, turn: Turn, heard: DestinationState): void {
  turn.of = { job: inProgress.record.decoded, heard };
  try {
    inProgress.giveBack();
  } finally {
    turn.of = undefined;
  }
}

function planNow(
  { record }: JobInProgress,
  state: DestinationState,
  { nowMs, retries }: DeliverOptions,
): Plan {
  return planAttempt(record.decoded, state, { nowMs: nowMs(), retries });
}

function proceed(inProgress: JobInProgress, plan: Plan, options: DeliverOptions): void {
  const { claim, record } = inProgress;
  if (!claim.isOurs) inProgress.giveBack();
  else if (plan.kind === "pause") inProgress.putOff(plan);
  else if (plan.kind === "attempt") {
    const job = afterPause(record.decoded, plan.destination, options.nowMs());
    makeAttempt(inProgress, { job, claim, headers: record.headers, ...plan }, options);
  } else inProgress.end(plan);
}

/** The first success ends the job (contract 3.2) when no webhook waits for room any more, else the last result does. */
function makeAttempt(inProgress: JobInProgress, made: Attempt, options: DeliverOptions): void {
  const { attempt, nowMs, retries, telemetry } = options;
  let isEnded = false;
  attempt(made, ({ isAsked, isDelivered, isOver, isWithdrawn, results }) => {
    if (isEnded || !((isDelivered && isAsked) || isOver)) return;
    isEnded = true;
    if (isWithdrawn && !isDelivered) inProgress.giveBack();
    else
      guarded(inProgress, telemetry, () =>
        endAttempt(inProgress, judge({ ...made, results }, retries, nowMs()), options),
      );
  });
}

/**
 * Ends an attempt. A pass that ends a deleted destination's waiting calls may have come by already, so a job
 * that would wait from now on ends here.
 */
function endAttempt(
  inProgress: JobInProgress,
  verdict: JobVerdict,
  { destinations, telemetry }: DeliverOptions,
): void {
  const { destinationId } = inProgress.record.decoded;
  if (!("tier" in verdict) || destinations.state(destinationId).kind !== "gone") {
    inProgress.end(verdict);
    return;
  }
  void destinations
    .confirmed(destinationId)
    .then(({ kind }) =>
      guarded(inProgress, telemetry, () => inProgress.end(kind === "gone" ? planGone(verdict.job) : verdict)),
    );
}
