// Reads the indexed topics into the index: all partitions, in no consumer group, from the index's own offsets on.
import { type Host, orAborted } from "#host";
import type { Admin, Kafka, PartitionOffsets, RawRecord } from "#kafka";
import type { Logger } from "#runtime";
import type { Serde } from "#serde";
import type { DeliveryAttempt, Topic } from "#topics";
import type { DeliveryIndex } from "./delivery-index.ts";
import { type Entry, INDEXED, type Indexed } from "./indexed.ts";
import { nextTurn } from "./next-turn.ts";
import type { Progress } from "./progress.ts";

export interface FollowOptions {
  readonly index: DeliveryIndex;
  readonly progress: Progress;
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Readonly<Record<Indexed, Topic>>;
  /** Called for each record of an attempt that was read; what is read again after a failure comes again. */
  onAttempt(attempt: DeliveryAttempt): void;
  readonly logger: Logger;
  readonly host: Host;
  readonly nowMs: () => number;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
}

/** How late what happened is seen at most, beside the time of reading it. */
const LOOK_EVERY_MS = 500;
/** While something fails that is not Kafka's absence, which the reading itself waits out. */
const LOOK_AFTER_FAILURE_MS = 5_000;
/** Rows of one transaction, in which nothing else runs: about 10 ms. */
const TRANSACTION_RECORDS = 200;

/** Resolves when the reading has ended, after `signal`. */
export async function followTopics(options: FollowOptions): Promise<void> {
  await Promise.all(INDEXED.map((kind) => new TopicFollower(kind, options).run()));
}

class TopicFollower<K extends Indexed> {
  readonly #kind: K;
  readonly #options: FollowOptions;

  constructor(kind: K, options: FollowOptions) {
    this.#kind = kind;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { host, logger, signal } = this.#options;
    while (!signal.aborted) {
      const pauseMs = await this.#look().then(
        () => LOOK_EVERY_MS,
        (error: unknown) => {
          if (!signal.aborted)
            logger.warn({ err: error, topic: this.#topic.name }, "the delivery index cannot go on yet");
          return LOOK_AFTER_FAILURE_MS;
        },
      );
      await host.delay(pauseMs, signal).catch(() => undefined);
    }
  }

  get #topic(): Topic {
    return this.#options.topics[this.#kind];
  }

  /** Reads everything that the topic has now. */
  async #look(): Promise<void> {
    const { admin, index, nowMs, progress, signal } = this.#options;
    const atMs = nowMs();
    // Not to be waited for at the end: while Kafka is away it takes as long as it takes.
    const partitions = await orAborted(admin.offsets(this.#topic.name), signal);
    progress.counted(this.#kind, partitions.length);
    for (const { partition, high } of partitions) {
      const position = index.position(this.#kind, partition) ?? 0;
      if (position > high) index.discard(`${this.#topic.name}-${partition} was created again`);
    }
    for (const bounds of partitions) await this.#catchUp(bounds, atMs);
  }

  async #catchUp({ partition, low, high }: PartitionOffsets, atMs: number): Promise<void> {
    const { host, index, kafka, onAttempt, progress, signal } = this.#options;
    const kind = this.#kind;
    const fromOffset = Math.max(index.position(kind, partition) ?? 0, low);
    if (fromOffset < high) {
      const batch = new Batch<K>({ kind, partition, index, host });
      const onRecord = async (record: RawRecord): Promise<void> => {
        const decoded = (await this.#decode(record)) as Entry<K>["record"] | undefined;
        if (kind === "attempts" && decoded !== undefined) onAttempt(decoded as DeliveryAttempt);
        await batch.add(record.offset, decoded);
        if (batch.size > 0) return;
        progress.reached(kind, partition, { nextOffset: record.offset + 1, atMs: record.timestampMs });
      };
      await kafka.readRange({
        topic: this.#topic.name,
        partition,
        fromOffset,
        toOffset: high,
        onRecord,
        signal,
      });
      batch.apply(high);
    }
    progress.reached(kind, partition, { nextOffset: high, atMs });
  }

  /** A record that cannot be read is left out, and said once; an unreachable registry is waited for. */
  async #decode({ value, partition, offset }: RawRecord): Promise<unknown> {
    const { logger, serde, signal } = this.#options;
    if (value === null) return undefined;
    try {
      const decoded = serde.decode(this.#topic, value);
      // Not to be waited for at the end either: a schema may not come for as long as the registry is away.
      return decoded instanceof Promise ? await orAborted(decoded, signal) : decoded;
    } catch (error) {
      if (!isUndecodable(error)) throw error;
      logger.error({ err: error, topic: this.#topic.name, partition, offset }, "a record cannot be indexed");
      return undefined;
    }
  }
}

/** Errors of the serde say by `canRetry: false` that the bytes are bad. */
function isUndecodable(error: unknown): boolean {
  return typeof error === "object" && error !== null && "canRetry" in error && error.canRetry === false;
}

interface BatchOptions<K extends Indexed> {
  readonly kind: K;
  readonly partition: number;
  readonly index: DeliveryIndex;
  readonly host: Host;
}

/** Records of one partition on their way into one transaction. */
class Batch<K extends Indexed> {
  readonly #options: BatchOptions<K>;
  readonly #epoch: number;
  #entries: Entry<K>[] = [];

  constructor(options: BatchOptions<K>) {
    this.#options = options;
    this.#epoch = options.index.epoch;
  }

  /** Records that are not in the index yet. */
  get size(): number {
    return this.#entries.length;
  }

  async add(offset: number, record: Entry<K>["record"] | undefined): Promise<void> {
    const { partition, host } = this.#options;
    if (record !== undefined) this.#entries.push({ partition, offset, record });
    if (this.#entries.length < TRANSACTION_RECORDS) return;
    this.apply(offset + 1);
    // The API gets its turn.
    await nextTurn(host);
  }

  apply(nextOffset: number): void {
    const { index, kind, partition } = this.#options;
    index.apply({ kind, partition, entries: this.#entries, nextOffset, epoch: this.#epoch });
    this.#entries = [];
    if (index.epoch !== this.#epoch) throw new Error("the index was thrown away while it was read");
  }
}
