import { type CallUser, userKey } from "#contract";
import type { Host } from "#host";
import type { DeliveryJob } from "#topics";
import type { WaitingReader } from "./reader.ts";
import { FurthestCopies, type WaitingJob } from "./waiting-job.ts";
import type { DestinationIds } from "./wakes.ts";

const MOST_JOBS = 10_000;
/** For all destinations together. */
const SCAN_MS = 4_000;

export interface FindOptions {
  readonly destinationIds: DestinationIds;
  means(job: DeliveryJob): boolean;
  /** Jobs that are wanted of the answer; more are only counted. */
  readonly most?: number;
}

export interface FoundWaiting {
  /** The first of them. */
  readonly jobs: readonly WaitingJob[];
  readonly count: number;
  /** False: it took too long to look at all that waits. */
  readonly isComplete: boolean;
}

/** Which of the calls that are meant wait, and where, at these destinations. */
export async function findWaiting(
  reader: WaitingReader,
  { destinationIds, means, most = MOST_JOBS }: FindOptions,
  host: Pick<Host, "setTimeout">,
): Promise<FoundWaiting> {
  const late = new AbortController();
  const timer = host.setTimeout(() => late.abort(), SCAN_MS);
  const found = new FurthestCopies(most);
  const end = (isComplete: boolean) => ({ jobs: found.first(most), count: found.size, isComplete });
  try {
    const scanned = await reader.scan({
      destinationIds,
      after: undefined,
      signal: late.signal,
      async onJob(copy) {
        const job = await reader.decode(copy);
        const { place, topicName } = copy;
        if (means(job)) found.add({ place, topicName, job });
      },
    });
    return end(scanned === undefined);
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return end(false);
  } finally {
    timer.clear();
  }
}

/** What is nobody's is everybody's: its record is older than its fields for the user. */
export function isOf(user: CallUser | undefined, of: CallUser): boolean {
  return user === undefined || [userKey(user), ""].includes(userKey(of));
}
