import type { Hold, OutgoingRecord, TopicPartition } from "../types.ts";

/** The size of a record in a request beside its key and value. */
const RECORD_OVERHEAD_BYTES = 20;

/** One call of `send`: settled once, when its last record is acknowledged or the first one fails for good. */
export interface Delivery {
  settled: boolean;
  /** Records not acknowledged yet. */
  remaining: number;
  /** Both on the clock that nobody sets back. */
  readonly queuedElapsedMs: number;
  readonly deadlineElapsedMs: number;
  readonly hold: Hold | undefined;
  resolve(): void;
  reject(error: Error): void;
}

/** A record on its way, with the partition that it keeps over every retry (fact 11). */
export interface PendingRecord {
  readonly record: OutgoingRecord;
  readonly partition: number;
  readonly sizeBytes: number;
  readonly delivery: Delivery;
}

/** The records of one partition in a request. */
export interface PartitionBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly PendingRecord[];
  readonly sizeBytes: number;
  /** Times in a row that the partition was refused before. */
  readonly failures: number;
}

export interface BatchLimits {
  /** The client groups in quadratic time (fact 5). */
  readonly maxRecordsPerPartition: number;
  /**
   * The largest request of a partition, below the broker's max.message.bytes, which bounds one partition's
   * batch.
   */
  readonly maxBytesPerPartition: number;
  readonly maxBytesPerRequest: number;
}

interface PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  records: PendingRecord[];
  /** Records before this index have been taken. */
  head: number;
  /** A request carries it, or it waits for its next try. */
  inFlight: boolean;
  failures: number;
}

/**
 * Records waiting to be sent, per partition and in order. A partition is in at most one request at a time, so a retry never
 * overtakes what came before it. Knows neither clock nor network.
 */
export class Accumulator {
  readonly #limits: BatchLimits;
  readonly #topics = new Map<string, PartitionQueue[]>();
  /** Partitions with waiting records that no request carries, longest waiting first. */
  readonly #ready = new Set<PartitionQueue>();
  #waiting = 0;

  constructor(limits: BatchLimits) {
    this.#limits = limits;
  }

  /** Records that a request could take now. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Partitions that a request could take now. */
  get ready(): Iterable<TopicPartition> {
    return this.#ready;
  }

  add(pending: PendingRecord): void {
    const queue = this.#queue(pending.record.topic, pending.partition);
    queue.records.push(pending);
    if (queue.inFlight) return;
    this.#waiting += 1;
    this.#ready.add(queue);
  }

  /**
   * Takes the next request's batches from the partitions that `wanted` accepts; they stay closed until
   * `release`.
   */
  take(wanted: (partition: TopicPartition) => boolean): PartitionBatch[] {
    const batches: PartitionBatch[] = [];
    let roomBytes = this.#limits.maxBytesPerRequest;
    for (const queue of this.#ready) {
      if (roomBytes <= 0) break;
      if (!wanted(queue)) continue;
      const batch = this.#takeFrom(queue, batches.length === 0 ? Number.POSITIVE_INFINITY : roomBytes);
      if (batch === undefined) continue;
      roomBytes -= batch.sizeBytes;
      batches.push(batch);
    }
    return batches;
  }

  /** Puts records back in front, for another try. Follow with `release`. */
  putBack(batch: PartitionBatch): void {
    const queue = this.#queue(batch.topic, batch.partition);
    queue.records = [...batch.records, ...queue.records.slice(queue.head)];
    queue.head = 0;
  }

  /** The next request may carry this partition again. */
  release(batch: PartitionBatch, failures = 0): void {
    const queue = this.#queue(batch.topic, batch.partition);
    queue.inFlight = false;
    queue.failures = failures;
    if (queue.head === queue.records.length) return;
    this.#waiting += queue.records.length - queue.head;
    this.#ready.add(queue);
  }

  #takeFrom(queue: PartitionQueue, roomBytes: number): PartitionBatch | undefined {
    const records: PendingRecord[] = [];
    const maxBytes = Math.min(roomBytes, this.#limits.maxBytesPerPartition);
    let sizeBytes = 0;
    this.#waiting -= queue.records.length - queue.head;
    while (records.length < this.#limits.maxRecordsPerPartition) {
      const next = queue.records[queue.head];
      if (next === undefined) break;
      const skipped = next.delivery.settled;
      if (!skipped && records.length > 0 && sizeBytes + next.sizeBytes > maxBytes) break;
      queue.head += 1;
      if (skipped) continue;
      records.push(next);
      sizeBytes += next.sizeBytes;
    }
    compact(queue);
    this.#ready.delete(queue);
    if (records.length === 0) return undefined;
    queue.inFlight = true;
    return { topic: queue.topic, partition: queue.partition, records, sizeBytes, failures: queue.failures };
  }

  #queue(topic: string, partition: number): PartitionQueue {
    let queues = this.#topics.get(topic);
    if (queues === undefined) {
      queues = [];
      this.#topics.set(topic, queues);
    }
    let queue = queues[partition];
    if (queue === undefined) {
      queue = { topic, partition, records: [], head: 0, inFlight: false, failures: 0 };
      queues[partition] = queue;
    }
    return queue;
  }
}

export function sizeOf({ headers, key, value }: OutgoingRecord): number {
  let sizeBytes = (key?.length ?? 0) + (value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
  if (headers !== undefined) for (const [name, text] of headers) sizeBytes += name.length + text.length;
  return sizeBytes;
}

/** Frees what was taken, without moving the rest each time. */
function compact(queue: PartitionQueue): void {
  if (queue.head === queue.records.length) {
    queue.records = [];
    queue.head = 0;
  } else if (queue.head > 1_000) {
    queue.records = queue.records.slice(queue.head);
    queue.head = 0;
  }
}
