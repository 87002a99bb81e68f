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
//   under one id.
// - diverted, acknowledged, but not committed: as above, without a request. Read again, the job may find its endpoint well:
//   then it is delivered, and once more by its copy in the retry topic, with the same messageId.
// - delivered, but not committed (at most one commit interval): the call is sent once more, as above.
// - given back, because its partition may be another's by now: no request was started for it since, and nothing written. Its
//   record is read, or stepped, again; requests of it that had failed before are made again with it.
// - a job the router emitted twice after its own crash: the second is recognised by its id and ends with the first.
// So a call is never lost, and it is doubled only where an endpoint's answer was not on disk when the process died.
import type { Claim, OutgoingRecord, Ownership, Received, Settle, Step } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { AttemptLog } from "../attempt-log/attempt-log.ts";
import type { DestinationState, Destinations } from "../destinations.ts";
import type { Attempt, MakeAttempt } from "../requests/attempts.ts";
import type { Telemetry } from "../telemetry.ts";
import { type JobVerdict, judge, position } from "./judge.ts";
import { type Dead, planAttempt, planHop } from "./plan.ts";
import type { Duplicate, RecentJobs } from "./recent-jobs.ts";
import type { DeliveryRecords } from "./records.ts";
import type { Retries, Waiting } from "./waiting.ts";

export interface DeliverOptions {
  readonly retries: Retries;
  readonly destinations: Destinations;
  readonly attempt: MakeAttempt;
  readonly records: DeliveryRecords;
  readonly recentJobs: RecentJobs;
  readonly telemetry: Pick<Telemetry, "ended" | "failed">;
  readonly attemptLog: Pick<AttemptLog, "diverted">;
  readonly nowMs: () => number;
}

/** A job in hand: not a duplicate, not waiting for its time. */
interface JobInProgress {
  readonly record: Received<DeliveryJob>;
  readonly claim: Ownership;
  /** Ends the job, once. */
  end(verdict: JobVerdict): void;
  /** Instead, for who owns its partition now. */
  giveBack(): void;
}

/** How far it has come tells a copy of the job in hand from what it becomes next. */
function keyOf(job: DeliveryJob): string {
  const step = position(job);
  return step === 0 ? job.jobId : `${job.jobId}:${step}`;
}

/** What becomes of a record whose job another record has brought in hand. */
function doubleOf(settle: Settle, claim: Claim): Duplicate {
  return { end: () => settle({ produce: [] }), giveBack: () => claim.giveBack() };
}

function producedBy(
  verdict: JobVerdict,
  record: Received<DeliveryJob>,
  records: DeliveryRecords,
): OutgoingRecord[] {
  switch (verdict.kind) {
    case "delivered":
      return [];
    case "wait":
    case "divert":
      return [records.waiting(verdict)];
    case "dead":
      return [deadLetter(verdict, record, records)];
  }
}

/** Where a fault of ours lies in the job itself, its bytes can still be kept. */
function deadLetter(dead: Dead, record: Received<DeliveryJob>, records: DeliveryRecords): OutgoingRecord {
  if (dead.reason !== "handler_failed") return records.dead(dead, record);
  try {
    return records.dead(dead, record);
  } catch {
    return records.raw(record, dead);
  }
}

/** The step of the deliverer's runner. */
export function createDeliver(options: DeliverOptions): Step<DeliveryJob> {
  const { attempt, attemptLog, destinations, nowMs, recentJobs, records, retries, telemetry } = options;

  /** undefined: it is a duplicate, and ends when the outcome of the first is durable. */
  function takeInHand(
    record: Received<DeliveryJob>,
    settle: Settle,
    claim: Claim,
  ): JobInProgress | undefined {
    const { decoded: job, partition } = record;
    const key = keyOf(job);
    if (!recentJobs.enter(partition, key, doubleOf(settle, claim))) return undefined;
    return {
      record,
      claim,
      end(verdict) {
        const produce = producedBy(verdict, record, records);
        settle({ produce, onDurable: () => recentJobs.durable(partition, key) });
        telemetry.ended(job, verdict);
        if (verdict.kind === "divert") attemptLog.diverted(job);
      },
      giveBack() {
        // First, or the record would be its own duplicate.
        recentJobs.givenBack(partition, key);
        claim.giveBack();
      },
    };
  }

  /** Past the step's own return nobody else catches: a fault of ours becomes a dead letter, not a record that hangs. */
  function guarded({ record, end }: JobInProgress, work: () => void): void {
    try {
      work();
    } catch (thrown) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      telemetry.failed(record.decoded, thrown);
      end({ kind: "dead", reason: "handler_failed", message, job: record.decoded });
    }
  }

  function proceed(hand: JobInProgress, state: DestinationState): void {
    const job = hand.record.decoded;
    const plan = planAttempt(job, state);
    if (!hand.claim.isOurs) hand.giveBack();
    else if (plan.kind === "dead") hand.end(plan);
    else makeAttempt(hand, { job, claim: hand.claim, ...plan });
  }

  /** The first success ends the job (contract 3.2), else the last result does. */
  function makeAttempt(hand: JobInProgress, made: Attempt): void {
    let isEnded = false;
    attempt(made, ({ isDelivered, isOver, isWithdrawn, results }) => {
      if (isEnded || !(isDelivered || isOver)) return;
      isEnded = true;
      if (isWithdrawn && !isDelivered) hand.giveBack();
      else guarded(hand, () => hand.end(judge({ ...made, results }, retries, nowMs())));
    });
  }

  /** A job that was woken meanwhile must not live on as its hop. */
  function letHop(record: Received<DeliveryJob>, hop: Waiting, settle: Settle, claim: Claim): void {
    const isDouble = recentJobs.join(record.partition, keyOf(record.decoded), doubleOf(settle, claim));
    if (!isDouble) settle({ produce: [records.waiting(hop)] });
  }

  return (record, settle, claim) => {
    const hop = planHop(record.decoded, retries, nowMs());
    if (hop !== undefined) return letHop(record, hop, settle, claim);
    const hand = takeInHand(record, settle, claim);
    if (hand === undefined) return;
    const { destinationId } = record.decoded;
    guarded(hand, () => {
      const state = destinations.state(destinationId);
      if (state.kind === "active") return proceed(hand, state);
      // Not to be believed before the configuration's topic was read to its end.
      void destinations
        .confirmed(destinationId)
        .then((confirmed) => guarded(hand, () => proceed(hand, confirmed)));
    });
  };
}
