// One page of what waits for a destination, and on the first page how much it is.
import type { Host } from "#host";
import type { DeliveryJob } from "#topics";
import { ProblemError } from "../http/problem.ts";
import type { FoundJob, WaitingPlace, WaitingReader } from "./reader.ts";

/** Somebody waits for the answer; some hundred thousand records are read in this time. */
const SCAN_MS = 4_000;

export interface WaitingJob {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly job: DeliveryJob;
}

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

/** Of copies the one that has come furthest. */
function newest(jobs: readonly WaitingJob[]): WaitingJob[] {
  const byId = new Map<string, WaitingJob>();
  for (const waiting of jobs) {
    const known = byId.get(waiting.job.jobId);
    if (known === undefined || stepsOf(known.job) <= stepsOf(waiting.job))
      byId.set(waiting.job.jobId, waiting);
  }
  return [...byId.values()];
}

function stepsOf({ attempts, diverts }: DeliveryJob): number {
  return attempts + diverts;
}
