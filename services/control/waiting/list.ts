// One page of what waits for a destination, and on the first page how much it is.
import type { Host } from "#host";
import { ProblemError } from "../http/problem.ts";
import type { FoundJob, WaitingPlace, WaitingReader } from "./reader.ts";
import { newest, type WaitingJob } from "./waiting-job.ts";

/** Somebody waits for the answer; some hundred thousand records are read in this time. */
const SCAN_MS = 4_000;

export interface WaitingList {
  readonly jobs: readonly WaitingJob[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: WaitingPlace | undefined;
  /** Of the first page only. */
  readonly summary: WaitingSummary | undefined;
}

interface WaitingSummary {
  readonly calls: number;
  /** When the call was accepted that has waited longest. */
  readonly oldestReceivedAtMs: number | undefined;
  /** False: more may wait, it took too long to count. */
  readonly isComplete: boolean;
}

export interface ListOptions {
  readonly destinationId: string;
  readonly shards: number;
  readonly limit: number;
  readonly after: WaitingPlace | undefined;
}

/** A job that stands in two topics, because a process died between its steps, is one call; the copy that has come further counts. */
export async function listWaiting(
  reader: WaitingReader,
  { after, destinationId, limit, shards }: ListOptions,
  host: Pick<Host, "setTimeout">,
): Promise<WaitingList> {
  const late = new AbortController();
  const full = new AbortController();
  const timer = host.setTimeout(() => late.abort(), SCAN_MS);
  /** By job, when its call was accepted. */
  const counted = new Map<string, number>();
  const jobs: WaitingJob[] = [];
  let hasMore = false;
  const onJob = async (found: FoundJob): Promise<void> => {
    const job = await reader.decode(found);
    counted.set(job.jobId, job.receivedAtMs);
    if (jobs.length < limit) jobs.push({ place: found.place, topicName: found.topicName, job });
    else hasMore = true;
    // Later pages have no summary.
    if (hasMore && after !== undefined) full.abort();
  };
  try {
    const signal = AbortSignal.any([late.signal, full.signal]);
    const end = await reader.scan({ destinationId, shards, after, signal, onJob });
    const next = hasMore ? jobs.at(-1)?.place : end;
    const isComplete = end === undefined;
    return { jobs: newest(jobs), next, summary: after === undefined ? sum(counted, isComplete) : undefined };
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new ProblemError("unavailable", "Kafka does not give the waiting calls now");
  } finally {
    timer.clear();
  }
}

function sum(counted: ReadonlyMap<string, number>, isComplete: boolean): WaitingSummary {
  let oldestReceivedAtMs: number | undefined;
  for (const receivedAtMs of counted.values())
    oldestReceivedAtMs = Math.min(receivedAtMs, oldestReceivedAtMs ?? receivedAtMs);
  return { calls: counted.size, oldestReceivedAtMs, isComplete };
}
