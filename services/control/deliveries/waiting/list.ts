// One page of what waits for a destination, and on the first page how much it is.
import type { Host, Timer } from "#host";
import type { DeliveryJob } from "#topics";
import { inTime, unavailable } from "../../http/in-time.ts";
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
  /** Which of its jobs. */
  means(job: DeliveryJob): boolean;
}

/**
 * A job stands in two topics from when a deliverer has written it to the second until it has committed the first; the copy that has come
 * further counts, where it stands. It stands behind the other as a rule, so even a page that is full is not known until all was read: a
 * later page, which counts nothing, reads on for a moment only.
 */
export async function listWaiting(
  reader: WaitingReader,
  { after, destinationId, limit, means }: ListOptions,
  host: Pick<Host, "setTimeout">,
): Promise<WaitingList> {
  const full = new AbortController();
  let fullTimer: Timer | undefined;
  const found = new FurthestCopies(limit + SPARE_JOBS);
  const onJob = async (copy: FoundJob): Promise<void> => {
    const job = await reader.decode(copy);
    found.add({ place: copy.place, topicName: copy.topicName, job }, means(job));
    if (after === undefined || found.size <= limit) return;
    fullTimer ??= host.setTimeout(() => full.abort(), LOOK_ON_MS);
  };
  const late = unavailable("Kafka does not give the waiting calls now");
  try {
    return await inTime({ host, withinMs: SCAN_MS, late }, async (ending) => {
      const signal = AbortSignal.any([ending, full.signal]);
      const end = await reader.scan({ destinationIds: new Set([destinationId]), after, signal, onJob });
      const { jobs, next = end } = found.first(limit);
      const summary = after === undefined ? sum(found.receivedAtMs(), end === undefined) : undefined;
      return { jobs, next, summary };
    });
  } finally {
    fullTimer?.clear();
  }
}

/** How much waits for each of these destinations, from one reading for all of them; nothing where Kafka does not give it. */
export async function summarizeWaiting(
  reader: WaitingReader,
  destinationIds: ReadonlySet<string>,
  host: Pick<Host, "setTimeout">,
): Promise<ReadonlyMap<string, WaitingSummary>> {
  const found = new Map([...destinationIds].map((id) => [id, new FurthestCopies(0)]));
  const onJob = async (copy: FoundJob): Promise<void> => {
    const job = await reader.decode(copy);
    found.get(job.destinationId)?.add({ place: copy.place, topicName: copy.topicName, job });
  };
  const late = (): ReadonlyMap<string, WaitingSummary> => new Map();
  return await inTime({ host, withinMs: SCAN_MS, late }, async (signal) => {
    const end = await reader.scan({ destinationIds, after: undefined, signal, onJob });
    return new Map([...found].map(([id, copies]) => [id, sum(copies.receivedAtMs(), end === undefined)]));
  });
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
