import type { Host } from "#host";
import type { WaitingReader } from "./reader.ts";
import { FurthestCopies, type WaitingJob } from "./waiting-job.ts";

/** Of one call: one for each destination, and one for each of its replays. */
const MOST_JOBS = 10_000;
/** For all destinations together. */
const SCAN_MS = 4_000;

export interface FindOptions {
  readonly messageId: string;
  readonly sourceId: string;
  readonly destinations: readonly { readonly destinationId: string; readonly shards: number }[];
}

export interface FoundWaiting {
  readonly jobs: readonly WaitingJob[];
  /** False: it took too long to look at all that waits. */
  readonly isComplete: boolean;
}

/** Where one call waits, at each of these destinations. */
export async function findWaiting(
  reader: WaitingReader,
  { destinations, messageId, sourceId }: FindOptions,
  host: Pick<Host, "setTimeout">,
): Promise<FoundWaiting> {
  const late = new AbortController();
  const timer = host.setTimeout(() => late.abort(), SCAN_MS);
  const found = new FurthestCopies(MOST_JOBS);
  try {
    for (const { destinationId, shards } of destinations) {
      const end = await reader.scan({
        destinationId,
        shards,
        after: undefined,
        signal: late.signal,
        async onJob(copy) {
          const job = await reader.decode(copy);
          const { place, topicName } = copy;
          if (job.messageId === messageId && job.sourceId === sourceId) found.add({ place, topicName, job });
        },
      });
      if (end !== undefined) return { jobs: found.first(MOST_JOBS), isComplete: false };
    }
    return { jobs: found.first(MOST_JOBS), isComplete: true };
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return { jobs: found.first(MOST_JOBS), isComplete: false };
  } finally {
    timer.clear();
  }
}
