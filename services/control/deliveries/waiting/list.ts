// One page of what waits for a destination, and on the first page how much it is.
import type { Host } from "#host";
import { ProblemError } from "../../http/problem.ts";
import type { FoundJob, WaitingReader } from "./reader.ts";
import type { WaitingPlace } from "./stretches.ts";
import { FurthestCopies, type WaitingJob } from "./waiting-job.ts";

/** Somebody waits for the answer; some hundred thousand records are read in this time. */
const SCAN_MS = 4_000;
/** How long a later page that is full is held for copies that have come further. */
const LOOK_ON_MS = 250;
/** Jobs kept beyond a page, to fill it up for those whose copies stand behind it. */
const SPARE_JOBS = 1_000;

export interface WaitingList {
  readonly jobs: readonly WaitingJob[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: WaitingPlace | undefined;
  /** Of the first page only. */
  readonly summary: WaitingSummary | undefined;
}

export interface WaitingSummary {
  readonly calls: number;
  /** When the call was accepted that has waited longest. */
  readonly oldestReceivedAtMs: number | undefined;
  /** False: more may wait, it took too long to count. */
  readonly isComplete: boolean;
}

export interface ListOptions {
  readonly destinationId: string;
  readonly limit: number;
  readonly after: WaitingPlace | undefined;
}

/**
 * A job stands in two topics from when a deliverer has written it to the second until it has committed the first; the copy that has come
 * further counts, where it stands. It stands behind the other as a rule, so even a page that is full is not known until all was read: a
 * later page, which counts nothing, reads on for a moment only.
 */
export async function listWaiting(
  reader: WaitingReader,
  { after, destinationId, limit }: ListOptions,
  host: Pick<Host, "setTimeout">,
): Promise<WaitingList> {
  const late = new AbortController();
  const full = new AbortController();
  const timers = [host.setTimeout(() => late.abort(), SCAN_MS)];
  const found = new FurthestCopies(limit + SPARE_JOBS);
  let isFull = false;
  const onJob = async (copy: FoundJob): Promise<void> => {
    found.add({ place: copy.place, topicName: copy.topicName, job: await reader.decode(copy) });
    if (isFull || after === undefined || found.size <= limit) return;
    isFull = true;
    timers.push(host.setTimeout(() => full.abort(), LOOK_ON_MS));
  };
  try {
    const signal = AbortSignal.any([late.signal, full.signal]);
    const end = await reader.scan({ destinationIds: new Set([destinationId]), after, signal, onJob });
    const jobs = found.first(limit);
    const next = found.size > jobs.length ? jobs.at(-1)?.place : end;
    const summary = after === undefined ? sum(found.receivedAtMs(), end === undefined) : undefined;
    return { jobs, next, summary };
  } catch (error) {
    if (!late.signal.aborted) throw error;
    throw new ProblemError("unavailable", "Kafka does not give the waiting calls now");
  } finally {
    for (const timer of timers) timer.clear();
  }
}

/** How much waits for each of these destinations, from one reading for all of them; nothing where Kafka does not give it. */
export async function summarizeWaiting(
  reader: WaitingReader,
  destinationIds: ReadonlySet<string>,
  host: Pick<Host, "setTimeout">,
): Promise<ReadonlyMap<string, WaitingSummary>> {
  const late = new AbortController();
  const timer = host.setTimeout(() => late.abort(), SCAN_MS);
  const found = new Map([...destinationIds].map((id) => [id, new FurthestCopies(0)]));
  const onJob = async (copy: FoundJob): Promise<void> => {
    const job = await reader.decode(copy);
    found.get(job.destinationId)?.add({ place: copy.place, topicName: copy.topicName, job });
  };
  try {
    const end = await reader.scan({ destinationIds, after: undefined, signal: late.signal, onJob });
    return new Map([...found].map(([id, copies]) => [id, sum(copies.receivedAtMs(), end === undefined)]));
  } catch (error) {
    if (!late.signal.aborted) throw error;
    return new Map();
  } finally {
    timer.clear();
  }
}

function sum(allReceivedAtMs: Iterable<number>, isComplete: boolean): WaitingSummary {
  let calls = 0;
  let oldestReceivedAtMs: number | undefined;
  for (const receivedAtMs of allReceivedAtMs) {
    calls += 1;
    oldestReceivedAtMs = Math.min(receivedAtMs, oldestReceivedAtMs ?? receivedAtMs);
  }
  return { calls, oldestReceivedAtMs, isComplete };
}
