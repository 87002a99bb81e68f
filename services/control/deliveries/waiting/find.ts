import { type CallUser, userKey } from "#contract";
import type { Host } from "#host";
import type { DeliveryJob } from "#topics";
import { inTime } from "../../http/in-time.ts";
import type { FoundJob, WaitingReader } from "./reader.ts";
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
  const found = new FurthestCopies(most);
  const onJob = async (copy: FoundJob): Promise<void> => {
    const job = await reader.decode(copy);
    if (means(job)) found.add({ place: copy.place, topicName: copy.topicName, job });
  };
  const isComplete = await inTime(
    { host, withinMs: SCAN_MS, late: () => false },
    async (signal) => (await reader.scan({ destinationIds, after: undefined, signal, onJob })) === undefined,
  );
  return { jobs: found.first(most).jobs, count: found.size, isComplete };
}

/** What is nobody's is everybody's: its record is older than its fields for the user. */
export function isOf(user: CallUser | undefined, of: CallUser): boolean {
  return user === undefined || [userKey(user), ""].includes(userKey(of));
}
