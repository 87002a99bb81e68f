// The jobs that wait for destinations, read from Kafka when somebody asks: every partition of delivery-jobs and of the retry topics, from
// what the deliverers have committed, but for what they have done ahead of that. Nothing is kept up to date for it, so it costs nothing while nobody asks (decision 72).
import { orAborted } from "#host";
import type { RawRecord } from "#kafka";
import type { DeliveryJob } from "#topics";
import { lookAtStretches, type Stretch, type WaitingPlace, type WaitingTopics } from "./stretches.ts";
import type { DestinationIds, Wakes } from "./wakes.ts";

/** A waiting job that was not decoded yet. */
export interface FoundJob {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly value: Buffer;
}

interface Scan {
  readonly destinationIds: DestinationIds;
  /** Only behind this place. */
  readonly after: WaitingPlace | undefined;
  /** Aborted when it has taken long enough. */
  readonly signal: AbortSignal;
  onJob(job: FoundJob): void | Promise<void>;
}

/** undefined: all of it was read. Else the last place that was, when the signal ended it. */
type ScanEnd = WaitingPlace | undefined;

export interface WaitingReader {
  scan(scan: Scan): Promise<ScanEnd>;
  decode(job: FoundJob): Promise<DeliveryJob>;
}

export function createWaitingReader(options: WaitingTopics): WaitingReader {
  const { serde, topics } = options;
  return {
    scan: (scan) => scanAll(options, scan),
    decode: async ({ value }) => await serde.decode(topics.deliveryJobs, value),
  };
}

async function scanAll(options: WaitingTopics, scan: Scan): Promise<ScanEnd> {
  const { stretches, wakes } = await orAborted(lookAtStretches(options, scan), scan.signal);
  let last = scan.after;
  for (const stretch of stretches) {
    const end = await scanStretch({ options, scan, wakes }, stretch);
    if (end !== undefined) return end.offset < stretch.place.offset && last !== undefined ? last : end;
    last = { ...stretch.place, offset: stretch.toOffset - 1 };
  }
  return undefined;
}

interface Scanning {
  readonly options: WaitingTopics;
  readonly scan: Scan;
  readonly wakes: Wakes;
}

/** undefined: it was read to its end. */
async function scanStretch(
  { options, scan, wakes }: Scanning,
  { isDone, place, toOffset, topicName }: Stretch,
): Promise<ScanEnd> {
  const { destinationIds, signal } = scan;
  let read = place.offset - 1;
  const onRecord = async (record: RawRecord): Promise<void> => {
    const { key, offset, value } = record;
    const destinationId = key?.slice(0, key.lastIndexOf(":"));
    const isTheirs = destinationId !== undefined && destinationIds.has(destinationId);
    const isTaken = isTheirs && wakes.takenIn(destinationId, record)?.(record);
    if (isTheirs && value !== null && !isDone(record) && isTaken !== true)
      await scan.onJob({ place: { ...place, offset }, topicName, value });
    read = offset;
  };
  const { partition, offset: fromOffset } = place;
  try {
    await options.kafka.readRange({ topic: topicName, partition, fromOffset, toOffset, onRecord, signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    return { ...place, offset: read };
  }
  return undefined;
}
