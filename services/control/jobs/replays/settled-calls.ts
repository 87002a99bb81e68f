// What has become of the calls of a destination, as far as a replay asks: the ones that wait are sent anyway.
import { jobKey, userIn } from "#contract";
import type { Admin, RawRecord } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DeliveryIndex } from "../../deliveries/index/delivery-index.ts";
import type { Progress } from "../../deliveries/index/progress.ts";
import type { WaitingReader } from "../../deliveries/waiting/reader.ts";
import { IdSet } from "../id-set.ts";
import { type Became, type CallReplay, CannotGoOn, isSelectedJob } from "./call-selection.ts";
import { findCovered } from "./covered.ts";

export interface SettledCalls {
  /** Of a job by its first record in delivery-jobs. */
  became(
    job: Pick<DeliveryJob, "jobId" | "userId" | "anonymousId" | "body">,
    record: Pick<RawRecord, "partition" | "offset" | "timestampMs">,
  ): Promise<Became>;
}

export interface SettledCallsParts {
  readonly admin: Pick<Admin, "committedPlaces">;
  /** Of delivery-jobs. */
  readonly topicName: string;
  /** The deliverers'. */
  readonly groupId: string;
  readonly waiting: WaitingReader;
  readonly index: Pick<DeliveryIndex, "findDeadLetter">;
  readonly progress: Pick<Progress, "untilCovers">;
  /** Waiting calls of those that a replay selects, that are kept in memory: a million unless given. */
  readonly maxWaiting?: number;
  deadLetterEnds(): Promise<number[]>;
}

/** 16 bytes for each. */
const MAX_WAITING = 1_000_000;

/**
 * Looks in this order: what deliverers have committed, what waits, what has died. A job that is committed at the first look is in one of the
 * other two or was delivered; one that is not is pending.
 */
export async function findSettled(
  parts: SettledCallsParts,
  replay: CallReplay,
  signal: AbortSignal,
): Promise<SettledCalls> {
  const { index, progress } = parts;
  const committed = await parts.admin.committedPlaces(parts.groupId, parts.topicName);
  const pending = await findPending(parts, replay, signal);
  signal.throwIfAborted();
  const ends = await parts.deadLetterEnds();
  const covering = { progress, kind: "deadLetters", ends, signal } as const;
  return {
    async became(job, record) {
      const place = committed.get(record.partition);
      const isCommitted = place !== undefined && (record.offset < place.offset || place.isDone(record));
      if (!isCommitted || pending.has(jobKey(job))) return "pending";
      const letter = await findCovered(() => index.findDeadLetter(job.jobId, userIn(job)), covering);
      return letter === undefined ? "delivered" : "dead";
    },
  };
}

/** Of the calls that the replay selects alone: of no other one is it asked what became. */
async function findPending(
  { maxWaiting = MAX_WAITING, waiting }: SettledCallsParts,
  replay: CallReplay,
  signal: AbortSignal,
): Promise<IdSet> {
  const pending = new IdSet(maxWaiting);
  let left = maxWaiting;
  await waiting.scan({
    destinationIds: new Set([replay.destinationId]),
    signal,
    after: undefined,
    async onJob(found) {
      const job = await waiting.decode(found);
      if (!isSelectedJob(job, replay) || !pending.add(jobKey(job))) return;
      left -= 1;
      if (left < 0)
        throw new CannotGoOn(
          `more than ${maxWaiting} of the calls wait: narrow it by sourceId, from or to, or send them when fewer wait`,
        );
    },
  });
  return pending;
}
