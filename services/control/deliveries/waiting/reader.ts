// The jobs that wait for destinations, read from Kafka when somebody asks: every partition of delivery-jobs and of the retry topics, from
// what the deliverers have committed, but for what they have done ahead of that. Nothing is kept up to date for it, so it costs nothing while nobody asks (decision 72).
import { orAborted } from "#host";
import type { Admin, CommittedPlace, Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { DeliveryJob, TopicMap } from "#topics";
import { type DestinationIds, readWakes, type Wakes } from "./wakes.ts";

/** Where a waiting job stands. `topic` counts delivery-jobs and then the retry topics, shortest delay first. */
export interface WaitingPlace {
  readonly topic: number;
  readonly partition: number;
  readonly offset: number;
}

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

export interface WaitingReaderOptions {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets" | "committedPlaces" | "partitionCount">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Pick<TopicMap, "deliveryJobs" | "deliveryRetries" | "deliveryWakes">;
  /** The deliverers'. */
  readonly groupId: string;
}

export function createWaitingReader(options: WaitingReaderOptions): WaitingReader {
  const { serde, topics } = options;
  return {
    scan: (scan) => scanAll(options, scan),
    decode: async ({ value }) => await serde.decode(topics.deliveryJobs, value),
  };
}

/** One partition of one topic, as far as it is to be read. */
interface Stretch {
  readonly place: WaitingPlace;
  readonly topicName: string;
  readonly toOffset: number;
  /** What the deliverers have done behind their place. */
  readonly isDone: CommittedPlace["isDone"];
}

async function scanAll(options: WaitingReaderOptions, scan: Scan): Promise<ScanEnd> {
  const { stretches, wakes } = await orAborted(look(options, scan), scan.signal);
  let last = scan.after;
  for (const stretch of stretches) {
    const end = await scanStretch({ options, scan, wakes }, stretch);
    if (end !== undefined) return end.offset < stretch.place.offset && last !== undefined ? last : end;
    last = { ...stretch.place, offset: stretch.toOffset - 1 };
  }
  return undefined;
}

/**
 * Every partition is read: a destination may have had more shards than now when a job was written. The ends are looked at last: a job that
 * a deliverer has written to another topic, and then committed or woken here, stands before them there. The other way round one that
 * moves meanwhile would be in neither.
 */
async function look(options: WaitingReaderOptions, scan: Scan) {
  const { admin, groupId, topics } = options;
  const names = [topics.deliveryJobs, ...topics.deliveryRetries].map(({ name }) => name);
  const [wakes, committed] = await Promise.all([
    readWakes(options, scan.destinationIds),
    Promise.all(names.map((name) => admin.committedPlaces(groupId, name))),
  ]);
  const read = names.map((topicName, topic) => ({
    topicName,
    committed: committed[topic] ?? new Map<number, CommittedPlace>(),
  }));
  return { wakes, stretches: await stretchesOf(options, scan, read) };
}

interface ReadTopic {
  readonly topicName: string;
  readonly committed: ReadonlyMap<number, CommittedPlace>;
}

const NOTHING_DONE: CommittedPlace = { offset: 0, isDone: () => false };

async function stretchesOf(
  { admin }: WaitingReaderOptions,
  { after }: Scan,
  read: readonly ReadTopic[],
): Promise<Stretch[]> {
  const found = await Promise.all(
    read.map(async ({ committed, topicName }, topic) => {
      const offsets = await admin.offsets(topicName);
      return offsets
        .toSorted((one, other) => one.partition - other.partition)
        .map(({ partition, low, high }): Stretch => {
          const { isDone, offset } = committed.get(partition) ?? NOTHING_DONE;
          const place = { topic, partition, offset: Math.max(low, offset) };
          return { place, topicName, toOffset: high, isDone };
        });
    }),
  );
  return found.flat().flatMap((stretch) => behind(stretch, after));
}

/** What of it lies behind a place; nothing when all of it was read. */
function behind(stretch: Stretch, after: WaitingPlace | undefined): Stretch[] {
  const { place, toOffset } = stretch;
  const isSame = after?.topic === place.topic && after.partition === place.partition;
  const offset = isSame ? Math.max(place.offset, after.offset + 1) : place.offset;
  const isBefore =
    after !== undefined &&
    !isSame &&
    (place.topic < after.topic || (place.topic === after.topic && place.partition < after.partition));
  return isBefore || offset >= toOffset ? [] : [{ ...stretch, place: { ...place, offset } }];
}

interface Scanning {
  readonly options: WaitingReaderOptions;
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
    if (isTheirs && value !== null && !isDone(record) && !wakes.isTaken(destinationId, record))
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
