// A job that this process works on: how it begins, and the one way in which it ends.
import { jobKey } from "#contract";
import type { Claim, OutgoingRecord, Ownership, Received, Settle } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { AttemptLog } from "../attempt-log/attempt-log.ts";
import type { Telemetry } from "../telemetry.ts";
import { type JobVerdict, position } from "./judge.ts";
import type { Dead } from "./plan.ts";
import type { Duplicate, RecentJobs } from "./recent-jobs.ts";
import type { DeliveryRecords } from "./records.ts";
import type { Waiting } from "./waiting.ts";

/** A record as a step gets it. */
export interface JobRecord {
  readonly record: Received<DeliveryJob>;
  readonly settle: Settle;
  readonly claim: Claim;
}

/** A job in progress: not a duplicate, and not waiting for its time. */
export interface JobInProgress {
  readonly record: Received<DeliveryJob>;
  readonly claim: Ownership;
  /** Ends the job, once. */
  end(verdict: JobVerdict): void;
  /** Instead, for its destination is paused: it waits as it is, and comes again under the same key. */
  putOff(waiting: Pick<Waiting, "tier" | "job">): void;
  /** Instead, for who owns its partition now. */
  giveBack(): void;
}

export interface EndingParts {
  readonly records: DeliveryRecords;
  readonly recentJobs: RecentJobs;
  readonly telemetry: Pick<Telemetry, "ended" | "failed" | "paused">;
  readonly attemptLog: Pick<AttemptLog, "diverted">;
}

/** undefined: the record is a duplicate, and ends when the outcome of the first is durable. */
export function beginJob(
  { record, settle, claim }: JobRecord,
  { attemptLog, recentJobs, records, telemetry }: EndingParts,
): JobInProgress | undefined {
  const { decoded: job, partition } = record;
  const key = keyOf(job);
  const giveBack = (): void => {
    // First, or the record would be its own duplicate.
    recentJobs.givenBack(partition, key);
    claim.giveBack();
  };
  if (!recentJobs.enter(partition, key, duplicateOf(settle, claim))) return undefined;
  return {
    record,
    claim,
    end(verdict) {
      const produce = producedBy(verdict, record, records);
      const isUnsent = verdict.kind === "dead" && verdict.reason === "destination_disabled";
      const onDurable = (): void =>
        isUnsent ? recentJobs.unsent(partition, key) : recentJobs.durable(partition, key);
      settle({ produce, onDurable, giveBack });
      telemetry.ended(job, verdict);
      if (verdict.kind === "divert") attemptLog.diverted(job);
    },
    putOff(waiting) {
      const produce = [records.waiting(waiting)];
      settle({ produce, onDurable: () => recentJobs.putOff(partition, key), giveBack });
      telemetry.paused();
    },
    giveBack,
  };
}

/**
 * Guards work after the step has returned, where nobody else catches: a fault of ours becomes a dead letter,
 * not a record that hangs.
 */
export function guarded(
  { record, end }: JobInProgress,
  telemetry: EndingParts["telemetry"],
  work: () => void,
): void {
  try {
    work();
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    telemetry.failed(record.decoded, thrown);
    end({ kind: "dead", reason: "handler_failed", message, job: record.decoded });
  }
}

/** Whether the record's job is in progress already: the record then ends with it. */
export function joinsJobInProgress({ record, settle, claim }: JobRecord, recentJobs: RecentJobs): boolean {
  return recentJobs.join(record.partition, keyOf(record.decoded), duplicateOf(settle, claim));
}

/** Tells whether two records have the same job at the same point. */
export function isSameJob(one: DeliveryJob, other: DeliveryJob): boolean {
  return keyOf(one) === keyOf(other);
}

/** The key of a job at its point in the schedule, which tells a copy from what the job becomes next. */
function keyOf(job: DeliveryJob): string {
  const step = position(job);
  return step === 0 ? jobKey(job) : `${jobKey(job)}:${step}`;
}

/** The end of a record whose job was begun with another record. */
function duplicateOf(settle: Settle, claim: Claim): Duplicate {
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

/** Makes a dead letter. Where a fault of ours lies in the job itself, its bytes can still be kept. */
function deadLetter(dead: Dead, record: Received<DeliveryJob>, records: DeliveryRecords): OutgoingRecord {
  if (dead.reason !== "handler_failed") return records.dead(dead, record);
  try {
    return records.dead(dead, record);
  } catch {
    return records.raw(record, dead);
  }
}
