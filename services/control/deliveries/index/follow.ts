// Reads the indexed topics into the index: all partitions, in no consumer group, from the index's own offsets on.
import { type Host, orAborted } from "#host";
import type { FollowedTopic, Following, Kafka, RawRecord } from "#kafka";
import type { Logger } from "#runtime";
import type { Serde } from "#serde";
import type { DeliveryAttempt, Topic } from "#topics";
import { nextTurn } from "../../http/next-turn.ts";
import { isUndecodable } from "../../records/places/undecodable.ts";
import type { IndexPart } from "./index-part.ts";
import type { Entry, Indexed } from "./indexed.ts";
import type { Progress } from "./progress.ts";

export interface FollowOptions {
  readonly index: IndexPart;
  readonly progress: Pick<Progress, "counted" | "reached">;
  /** The topics that are read. */
  readonly kinds: readonly Indexed[];
  /** Of each topic the partitions that are read. */
  takes(partition: number): boolean;
  readonly kafka: Pick<Kafka, "follow">;
  readonly serde: Pick<Serde, "decode">;
  readonly topics: Readonly<Record<Indexed, Topic>>;
  /** Called for each record of an attempt that was read; what is read again after a failure comes again. */
  onAttempt(attempt: DeliveryAttempt): void;
  readonly logger: Logger;
  readonly host: Host;
  /** Aborted at the end. */
  readonly signal: AbortSignal;
}

/** How late what happened is seen at most, beside the time of reading it. */
const READ_EVERY_MS = 500;
/** While something fails that is not Kafka's absence, which the reading itself waits out. */
const AGAIN_AFTER_FAILURE_MS = 5_000;
/** Rows of one transaction, in which nothing else runs: about 10 ms. */
const TRANSACTION_RECORDS = 200;

/** Resolves when the reading has ended, after `signal`. */
export async function followTopics(options: FollowOptions): Promise<void> {
  const { host, signal } = options;
  while (!signal.aborted) {
    const pauseMs = await new Reading(options).run();
    await host.delay(pauseMs, signal).catch(() => undefined);
  }
}

/** All topics from where the index is, until something fails or the index is thrown away: then everything is read from where it is then. */
class Reading {
  readonly #options: FollowOptions;
  readonly #epoch: number;
  readonly #ended = Promise.withResolvers<number>();
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;

  constructor(options: FollowOptions) {
    this.#options = options;
    this.#epoch = options.index.epoch;
  }

  /** In how many ms to begin again. */
  async run(): Promise<number> {
    const { signal } = this.#options;
    const end = (): void => this.#end(0);
    signal.addEventListener("abort", end);
    const followings = this.#options.kinds.map((kind) => this.#follow(kind));
    const pauseMs = await this.#ended.promise;
    for (const following of followings) following.close();
    signal.removeEventListener("abort", end);
    await Promise.all(this.#underWay);
    return pauseMs;
  }

  #follow<K extends Indexed>(kind: K): Following {
    const { index, kafka, progress, takes, topics } = this.#options;
    const topic: FollowedTopic = {
      topic: topics[kind].name,
      everyMs: READ_EVERY_MS,
      takes(partition) {
        progress.counted(kind, partition + 1);
        return takes(partition);
      },
      from: (partition) => index.position(kind, partition) ?? 0,
      onRecords: (partition, records, nextOffset) =>
        this.#guarded(kind, () => this.#read(kind, partition, records, nextOffset)),
      onReadUntil: (partition, nextOffset, atMs) => {
        // Whoever asked the index may have found it damaged.
        if (index.epoch !== this.#epoch) this.#end(0);
        if (!this.#isOver) progress.reached(kind, partition, { nextOffset, atMs });
      },
      onCut: ({ partition }) => this.#discard(kind, partition),
    };
    const following = kafka.follow(topic);
    following.failed.catch((error: unknown) => this.#failed(kind, error));
    return following;
  }

  /** Never rejects: what fails ends the reading, which then begins again. */
  #guarded(kind: Indexed, work: () => Promise<void>): Promise<void> {
    const working = work().catch((error: unknown) => this.#failed(kind, error));
    this.#underWay.add(working);
    return working.finally(() => this.#underWay.delete(working));
  }

  #discard(kind: Indexed, partition: number): void {
    const { index, topics } = this.#options;
    try {
      index.discard(`${topics[kind].name}-${partition} was created again`);
      this.#end(0);
    } catch (error) {
      this.#failed(kind, error);
    }
  }

  #failed(kind: Indexed, error: unknown): void {
    const { logger, signal, topics } = this.#options;
    if (this.#isOver || signal.aborted) return;
    logger.warn({ err: error, topic: topics[kind].name }, "the delivery index cannot go on yet");
    this.#end(AGAIN_AFTER_FAILURE_MS);
  }

  #end(pauseMs: number): void {
    this.#isOver = true;
    this.#ended.resolve(pauseMs);
  }

  async #read<K extends Indexed>(
    kind: K,
    partition: number,
    records: readonly RawRecord[],
    nextOffset: number,
  ): Promise<void> {
    const { host, onAttempt, progress } = this.#options;
    let entries: Entry<K>[] = [];
    for (const [read, record] of records.entries()) {
      const decoded = (await this.#decode(kind, record)) as Entry<K>["record"] | undefined;
      if (this.#isOver) return;
      if (kind === "attempts" && decoded !== undefined) onAttempt(decoded as DeliveryAttempt);
      const { key, offset } = record;
      if (decoded !== undefined)
        entries.push({ partition, offset, record: decoded, isKeyless: key === null });
      if (entries.length < TRANSACTION_RECORDS || read === records.length - 1) continue;
      this.#apply(kind, partition, entries, record.offset + 1);
      if (this.#isOver) return;
      progress.reached(kind, partition, { nextOffset: record.offset + 1, atMs: record.timestampMs });
      entries = [];
      // The API gets its turn.
      await nextTurn(host);
      if (this.#isOver) return;
    }
    this.#apply(kind, partition, entries, nextOffset);
  }

  #apply<K extends Indexed>(
    kind: K,
    partition: number,
    entries: readonly Entry<K>[],
    nextOffset: number,
  ): void {
    const { index } = this.#options;
    index.apply({ kind, partition, entries, nextOffset, epoch: this.#epoch });
    if (index.epoch !== this.#epoch) this.#end(0);
  }

  /** A record that cannot be read is left out, and said once; an unreachable registry is waited for. */
  async #decode(kind: Indexed, { value, partition, offset }: RawRecord): Promise<unknown> {
    const { logger, serde, signal, topics } = this.#options;
    if (value === null) return undefined;
    try {
      const decoded = serde.decode(topics[kind], value);
      // Not to be waited for at the end either: a schema may not come for as long as the registry is away.
      return decoded instanceof Promise ? await orAborted(decoded, signal) : decoded;
    } catch (error) {
      if (!isUndecodable(error)) throw error;
      logger.error({ err: error, topic: topics[kind].name, partition, offset }, "a record cannot be indexed");
      return undefined;
    }
  }
}
