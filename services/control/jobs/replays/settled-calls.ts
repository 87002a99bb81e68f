// What has become of the calls of a destination, as far as a replay asks: the ones that wait are sent anyway.
import { jobKey, userIn } from "#contract";
import type { Admin } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { DeliveryIndex } from "../../deliveries/index/delivery-index.ts";
import type { Progress } from "../../deliveries/index/progress.ts";
import type { WaitingReader } from "../../deliveries/waiting/reader.ts";
import type { Became } from "./call-selection.ts";
import { findCovered } from "./covered.ts";

export interface SettledCalls {
  /** Of a job by where its first record stands in delivery-jobs. */
  became(
    job: Pick<DeliveryJob, "jobId" | "userId" | "anonymousId" | "body">,
    spot: { readonly partition: number; readonly offset: number },
  ): Promise<Became>;
}

export interface SettledCallsParts {
  readonly admin: Pick<Admin, "committedOffsets">;
  /** Of delivery-jobs. */
  readonly topicName: string;
  /** The deliverers'. */
  readonly groupId: string;
  readonly waiting: WaitingReader;
  readonly index: Pick<DeliveryIndex, "findDeadLetter">;
  readonly progress: Pick<Progress, "untilCovers">;
  deadLetterEnds(): Promise<number[]>;
}

interface Asked {
  readonly destinationId: string;
  readonly signal: AbortSignal;
}

/** So many ids are 20 MB. Where more calls wait the endpoint is not taking any, and a replay has time. */
const MAX_WAITING = 200_000;

/**
 * Looks in this order: what deliverers have committed, what waits, what has died. A job that is committed at the first look is in one of the
 * other two or was delivered; one that is not is pending. Rejects while more calls wait than can be kept in memory.
 */
export async function findSettled(parts: SettledCallsParts, asked: Asked): Promise<SettledCalls> {
  const { index, progress, waiting } = parts;
  const committed = await parts.admin.committedOffsets(parts.groupId, parts.topicName);
  const pending = new Set<string>();
  await waiting.scan({
    destinationIds: new Set([asked.destinationId]),
    signal: asked.signal,
    after: undefined,
    async onJob(found) {
      pending.add(jobKey(await waiting.decode(found)));
      if (pending.size > MAX_WAITING) throw new RangeError(`more than ${MAX_WAITING} calls wait`);
    },
  });
  asked.signal.throwIfAborted();
  const ends = await parts.deadLetterEnds();
  const covering = { progress, kind: "deadLetters", ends, signal: asked.signal } as const;
  return {
    async became(job, { offset, partition }) {
      if (offset >= (committed.get(partition) ?? 0) || pending.has(jobKey(job))) return "pending";
      const letter = await findCovered(() => index.findDeadLetter(job.jobId, userIn(job)), covering);
      return letter === undefined ? "delivered" : "dead";
    },
  };
}
