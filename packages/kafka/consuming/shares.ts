import type { Host } from "#host";
import type { RecordsLost, RunnerOptions } from "../runner-types.ts";
import type { KafkaLogger, TopicPartition } from "../types.ts";
import { withinMs } from "../within.ts";
import { Capacity } from "./capacity.ts";
import { type Opening, openAll } from "./opening.ts";
import type { Work } from "./settlement.ts";

/** What a member of a group does with some of its topics. */
export interface ReaderShare<T>
  extends Pick<
    RunnerOptions<T>,
    | "topics"
    | "maxOutstandingRecords"
    | "maxOutstandingBytes"
    | "maxUnwrittenRecords"
    | "onAssigned"
    | "openPartition"
    | "onRevoked"
    | "onRecordsLost"
    | "stepsDoneAgain"
  > {
  readonly work: Work<T>;
  /** The longest that a stop waits for what is outstanding of it. Unset: as long as the stop has. */
  readonly finishMs?: number | undefined;
}

interface Parts {
  readonly host: Host;
  readonly logger: KafkaLogger;
}

interface OpenShare<T> {
  readonly options: ReaderShare<T>;
  readonly capacity: Capacity;
}

/** The shares of one member. Each has its own bound: what is outstanding in one holds back no other. */
export class Shares<T> {
  readonly topics: readonly string[];
  readonly #parts: Parts;
  readonly #shares: readonly OpenShare<T>[];
  readonly #byTopic: ReadonlyMap<string, OpenShare<T>>;

  constructor(shares: readonly ReaderShare<T>[], parts: Parts) {
    this.#parts = parts;
    this.topics = shares.flatMap(({ topics }) => topics);
    this.#shares = shares.map((options) => ({
      options,
      capacity: new Capacity(options.maxOutstandingRecords, options.maxOutstandingBytes, parts.host),
    }));
    this.#byTopic = new Map(
      this.#shares.flatMap((share) => share.options.topics.map((topic) => [topic, share] as const)),
    );
  }

  /** The share of a topic that the member reads. */
  of({ topic }: Pick<TopicPartition, "topic">): OpenShare<T> {
    const share = this.#byTopic.get(topic);
    if (share === undefined) throw new TypeError(`${topic} is not read here`);
    return share;
  }

  get outstanding(): { readonly records: number; readonly bytes: number } {
    const all = this.#shares.map(({ capacity }) => capacity.outstanding);
    return {
      records: all.reduce((sum, { records }) => sum + records, 0),
      bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /** Resolves when nothing is outstanding in any of them. */
  async empty(): Promise<void> {
    await Promise.all(this.#shares.map(({ capacity }) => capacity.empty()));
  }

  /** The same, or when each of them has had its time to end. */
  async finished(graceMs: number): Promise<void> {
    const ends = this.#shares.map(({ capacity, options: { finishMs = graceMs } }) =>
      withinMs(capacity.empty(), Math.min(finishMs, graceMs), this.#parts.host),
    );
    await Promise.all(ends);
  }

  /** Has the stepping of new partitions begin when their owner is ready for them. */
  open(openings: readonly Opening[]): void {
    for (const { options } of this.#shares) {
      const { onAssigned, openPartition, topics } = options;
      const own = openings.filter(({ partition }) => topics.includes(partition.topic));
      void openAll(own, { ...this.#parts, onAssigned, openPartition });
    }
  }

  revoked(partitions: readonly TopicPartition[]): void {
    for (const { options } of this.#shares) {
      const own = partitions.filter(({ topic }) => options.topics.includes(topic));
      if (own.length > 0) options.onRevoked?.(own);
    }
  }

  lost(lost: RecordsLost): void {
    this.of(lost).options.onRecordsLost?.(lost);
  }
}
