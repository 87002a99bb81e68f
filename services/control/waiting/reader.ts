// The jobs that wait for a destination, read from Kafka when somebody asks: its partitions of delivery-jobs and of the retry topics, from
// what the deliverers have committed. Nothing is kept up to date for it, so it costs nothing while nobody asks (docs/decisions/0072).
import { orAborted } from "#host";
import { type Admin, type Kafka, partitionOfKey, type RawRecord } from "#kafka";
import type { Serde } from "#serde";
import { DEFAULT_SHARD_WIDTH, type DeliveryJob, deliveryKey, type TopicMap } from "#topics";
import { readWakes, type Wakes } from "./wakes.ts";

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
  readonly destinationId: string;
  /** How many shards its jobs may be in. */
  readonly shards: number;
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
  readonly admin: Pick<Admin, "offsets" | "committedOffsets" | "partitionCount">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Pick<TopicMap, "deliveryJobs" | "deliveryRetries" | "deliveryWakes">;
  /** The deliverers'. */
  readonly groupId: string;
}

/** Jobs that wait since the destination had more shards than now are missed beyond this. */
export function shardsToRead(width: number): number {
  return Math.max(width, DEFAULT_SHARD_WIDTH);
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
 * The ends are looked at last: a job that a deliverer has written to another topic, and then committed or woken here, stands before them
 * there. The other way round one that moves meanwhile would be in neither.
 */
async function look(options: WaitingReaderOptions, scan: Scan) {
  const { admin, groupId, topics } = options;
  const names = [topics.deliveryJobs, ...topics.deliveryRetries].map(({ name }) => name);
  const [wakes, committed] = await Promise.all([
    readWakes(options, scan.destinationId),
    Promise.all(names.map((name) => admin.committedOffsets(groupId, name))),
  ]);
  const read = names.map((topicName, topic) => ({
    topicName,
    committed: committed[topic] ?? new Map<number, number>(),
  }));
  return { wakes, stretches: await stretchesOf(options, scan, read) };
}

interface ReadTopic {
  readonly topicName: string;
  readonly committed: ReadonlyMap<number, number>;
}

async function stretchesOf(
  { admin }: WaitingReaderOptions,
  { after, destinationId, shards }: Scan,
  read: readonly ReadTopic[],
): Promise<Stretch[]> {
  const found = await Promise.all(
    read.map(async ({ committed, topicName }, topic) => {
      const offsets = await admin.offsets(topicName);
      const wanted = partitionsOf(destinationId, shards, offsets.length);
      return offsets
        .filter(({ partition }) => wanted.has(partition))
        .sort((one, other) => one.partition - other.partition)
        .map(({ partition, low, high }): Stretch => {
          const offset = Math.max(low, committed.get(partition) ?? low);
          return { place: { topic, partition, offset }, topicName, toOffset: high };
        });
    }),
  );
  return found.flat().flatMap((stretch) => behind(stretch, after));
}

/** Where the jobs of a destination stand, in delivery-jobs and in every retry topic. */
export function partitionsOf(destinationId: string, shards: number, partitions: number): ReadonlySet<number> {
  const keys = Array.from({ length: shards }, (_, shard) => deliveryKey({ destinationId, shard }));
  return new Set(keys.map((key) => partitionOfKey(key, partitions)));
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
  { place, toOffset, topicName }: Stretch,
): Promise<ScanEnd> {
  const { destinationId, signal } = scan;
  const prefix = `${destinationId}:`;
  let read = place.offset - 1;
  const onRecord = async (record: RawRecord): Promise<void> => {
    const { key, offset, value } = record;
    const isMeant = key?.startsWith(prefix) === true && value !== null && !wakes.isTaken(record);
    if (isMeant) await scan.onJob({ place: { ...place, offset }, topicName, value });
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
