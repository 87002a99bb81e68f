import type { Host } from "#host";
import type { WaitingReader } from "./reader.ts";
import { newest, type WaitingJob } from "./waiting-job.ts";

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
  const jobs: WaitingJob[] = [];
  try {
    for (const { destinationId, shards } of destinations) {
      const end = await reader.scan({
        destinationId,
        shards,
        after: undefined,
        signal: late.signal,
        async onJob(found) {
          const job = await reader.decode(found);
          if (job.messageId === messageId && job.sourceId === sourceId)
            jobs.push({ place: found.place, topicName: found.topicName, job });
        },
      });
      if (end !== undefined) return { jobs: newest(jobs), isComplete: false };
    }
    return { jobs: newest(jobs), isComplete: true };
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return { jobs: newest(jobs), isComplete: false };
  } finally {
    timer.clear();
  }
}
