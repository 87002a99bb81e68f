// The newest records of the topics that tell what ingest took and refused, read while somebody watches and not otherwise: from the ends
// that they have then, in no consumer group. What comes faster than it is looked at is passed over.
import { type Host, orAborted } from "#host";
import type { Admin, Kafka, PartitionOffsets, RawRecord } from "#kafka";
import type { Logger } from "#runtime";

export interface TailOptions {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  /** The topics' names. */
  readonly topics: readonly string[];
  /** What it does with a record is its own affair: it is not waited for long. */
  onRecord(topic: string, record: RawRecord): void | Promise<void>;
  onPassedOver(records: number): void;
  /** All ends are known: nothing that is written from now on is missed. Called after every look. */
  onLooked(): void;
  readonly host: Host;
  readonly logger: Logger;
}

const LOOK_EVERY_MS = 500;
const LOOK_AFTER_FAILURE_MS = 5_000;
/** Of one partition and look: at 24 partitions 4,800 in half a second, of which those of other sources are not even decoded. */
const RECORDS_A_LOOK = 200;

/** Reads until `signal`; rejects never. */
export async function followTail(options: TailOptions, signal: AbortSignal): Promise<void> {
  const { host, logger, topics } = options;
  const positions = new Map<string, number>();
  while (!signal.aborted) {
    let pauseMs = LOOK_EVERY_MS;
    try {
      for (const topic of topics) await look({ ...options, positions, signal }, topic);
      options.onLooked();
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error }, "what happens cannot be followed live yet");
      pauseMs = LOOK_AFTER_FAILURE_MS;
    }
    await host.delay(pauseMs, signal).catch(() => undefined);
  }
}

interface Look extends TailOptions {
  /** By topic and partition, the next offset to be read. */
  readonly positions: Map<string, number>;
  readonly signal: AbortSignal;
}

async function look(options: Look, topic: string): Promise<void> {
  const partitions = await orAborted(options.admin.offsets(topic), options.signal);
  await Promise.all(partitions.map((bounds) => readNew(options, topic, bounds)));
}

async function readNew(
  options: Look,
  topic: string,
  { partition, low, high }: PartitionOffsets,
): Promise<void> {
  const { positions, signal } = options;
  const place = `${topic}-${partition}`;
  const position = positions.get(place) ?? high;
  // Before the reading: a record that cannot be read is not tried again.
  positions.set(place, high);
  // A topic that was created again begins anew.
  if (position >= high) return;
  const fromOffset = Math.max(position, low, high - RECORDS_A_LOOK);
  if (fromOffset > position) options.onPassedOver(fromOffset - position);
  let next = fromOffset;
  const onRecord = async (record: RawRecord): Promise<void> => {
    await options.onRecord(topic, record);
    next = record.offset + 1;
  };
  try {
    await options.kafka.readRange({ topic, partition, fromOffset, toOffset: high, onRecord, signal });
  } catch (error) {
    options.onPassedOver(high - next);
    throw error;
  }
}
