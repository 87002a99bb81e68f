// The sizes of audiences in the partitions of this process: read when one is taken, written some time after they have changed.
import type { Host } from "#host";
import type { Kafka, OutgoingRecord, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { PartitionStore } from "#state";
import { type AudienceSize, audienceSizeKey, type TopicMap } from "#topics";
import type { KnownRows } from "./known-rows.ts";
import { oldRows } from "./old-rows.ts";
import { PartitionSizes, type Unwritten } from "./partition-sizes.ts";
import { SizesTail } from "./tail.ts";

type Store = Pick<PartitionStore, "get" | "keys" | "reached">;

export interface SizesOptions {
  readonly rows: Pick<KnownRows, "lateOf" | "newestOf" | "places">;
  readonly kafka: Pick<Kafka, "readRange">;
  readonly serde: Pick<Serde, "decode" | "decodeFields" | "encode" | "header">;
  readonly topics: Pick<TopicMap, "audienceSizes" | "profiles">;
  isCounted(id: string): boolean;
  /** As that of `PartitionSizesParts`. */
  onCounted(id: string, partition: number, members: number): void;
  /** Whether it is deleted. */
  isGone(id: string): boolean;
  /** Resolves when the records are acknowledged. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  readonly host: Pick<Host, "now" | "setImmediate">;
  onError(error: unknown): void;
}

export interface Taken {
  readonly partition: number;
  readonly store: Store;
  /** No owner before has written a version of a profile as high as this one, nor had a batch of this number. */
  readonly leastVersion: number;
  /** Aborted when the partition is lost. */
  readonly signal: AbortSignal;
}

/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 64;

/** What the end of a changelog says. */
interface Tail {
  readonly tail: SizesTail;
  /** A version before, which counts nothing, has written profiles. */
  readonly isOfBefore: boolean;
}

export class Sizes {
  readonly #options: SizesOptions;
  readonly #partitions = new Map<number, PartitionSizes>();
  #writing: Promise<void> | undefined;

  constructor(options: SizesOptions) {
    this.#options = options;
  }

  /** Resolves when all is known that a former owner has counted; rejects when the partition is lost. */
  async open({ leastVersion, partition, signal, store }: Taken): Promise<PartitionSizes> {
    const { host, isCounted, onCounted } = this.#options;
    const rows = this.#options.rows.newestOf(partition);
    const mark = rows.find(({ id }) => id === "");
    const end = store.reached;
    const { isOfBefore, tail } = await this.#readTail(partition, {
      fromOffset: mark?.countedTo ?? end,
      end,
      store,
      signal,
    });
    const sizes = new PartitionSizes({
      partition,
      rows,
      batches: tail.batches,
      leastBatch: leastVersion,
      end,
      isCounted,
      onCounted: (id, members) => onCounted(id, partition, members),
      nowMs: () => host.now(),
    });
    for (const row of this.#options.rows.lateOf(partition)) sizes.noticed(row);
    if (mark === undefined || isOfBefore) {
      sizes.begin(await this.#membersOf(store, signal));
      // Before the first event: a next owner without a mark would begin once more, and not know who has entered since.
      await this.#send(sizes.unwritten());
    }
    if (!signal.aborted) this.#partitions.set(partition, sizes);
    return sizes;
  }

  /** The partition is another process's. */
  forget(partition: number): void {
    this.#partitions.delete(partition);
  }

  noticed(row: AudienceSize): void {
    this.#partitions.get(row.partition)?.noticed(row);
  }

  /** Writes what has changed; what cannot be written now is tried again. */
  write(): Promise<void> {
    this.#writing ??= Promise.all([...this.#partitions.values()].map((one) => this.#write(one)))
      .then(() => undefined)
      .finally(() => {
        this.#writing = undefined;
      });
    return this.#writing;
  }

  /** To be called now and then. */
  async endOld(): Promise<void> {
    const { host, isGone, rows, send, topics } = this.#options;
    const own = [...rows.places()].filter(({ partition }) => this.#partitions.has(partition));
    const ended = oldRows(own, isGone, host.now());
    if (ended.length > 0)
      await send(ended.map((key) => ({ topic: topics.audienceSizes.name, key, value: null })));
  }

  async #write(sizes: PartitionSizes): Promise<void> {
    const unwritten = sizes.unwritten();
    if (unwritten === undefined) return;
    try {
      await this.#send(unwritten);
    } catch (error) {
      sizes.again(unwritten.rows);
      this.#options.onError(error);
    }
  }

  async #send(unwritten: Unwritten | undefined): Promise<void> {
    if (unwritten === undefined) return;
    await this.#options.send(unwritten.rows.map((row) => this.#record(row)));
    await this.#options.send([this.#record(unwritten.mark)]);
    unwritten.written();
  }

  #record(row: AudienceSize): OutgoingRecord {
    const { serde, topics } = this.#options;
    const { audienceSizes } = topics;
    return { topic: audienceSizes.name, key: audienceSizeKey(row), value: serde.encode(audienceSizes, row) };
  }

  async #readTail(
    partition: number,
    {
      end,
      fromOffset,
      signal,
      store,
    }: { fromOffset: number; end: number; store: Store; signal: AbortSignal },
  ): Promise<Tail> {
    const { kafka, serde, topics } = this.#options;
    const tail = new SizesTail();
    if (fromOffset >= end) return { tail, isOfBefore: false };
    const movesOf = serde.decodeFields(topics.profiles, ["moves"]);
    const header = serde.header(topics.profiles);
    const moved = new Set<string>();
    let isOfBefore = false;
    const onRecord = async ({ key, value }: RawRecord): Promise<void> => {
      if (key === null || value === null) return;
      if (header.compare(value, 0, header.length) !== 0) isOfBefore = true;
      // One that cannot be read changes nothing here either.
      const read = await Promise.resolve(movesOf(value)).catch(() => undefined);
      if (read !== undefined && read.moves.length > 0) moved.add(key);
    };
    await kafka.readRange({
      topic: topics.profiles.name,
      partition,
      fromOffset,
      toOffset: end,
      onRecord,
      signal,
    });
    // Of its newest record: it has all that rows may lack, and what a former owner has written late counts in none.
    await this.#look(moved, { store, signal, fieldsOf: movesOf }, ({ moves }) => tail.read(moves));
    return { tail, isOfBefore };
  }

  /** By audience: how many profiles say so. */
  async #membersOf(store: Store, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { serde, topics } = this.#options;
    const fieldsOf = serde.decodeFields(topics.profiles, ["results"]);
    const members = new Map<string, number>();
    await this.#look(store.keys(), { store, signal, fieldsOf }, ({ results }) => {
      for (const { computationId, text } of results)
        if (text === "true") members.set(computationId, (members.get(computationId) ?? 0) + 1);
    });
    return members;
  }

  /** Calls with what can be read of these profiles, some of them a turn. */
  async #look<T>(
    ids: Iterable<string>,
    {
      fieldsOf,
      signal,
      store,
    }: { fieldsOf: (value: Buffer) => T | Promise<T>; store: Store; signal: AbortSignal },
    onFields: (fields: T) => void,
  ): Promise<void> {
    const { host } = this.#options;
    let looked = 0;
    for (const id of ids) {
      const value = store.get(id);
      if (value === undefined) continue;
      const read = await Promise.resolve(fieldsOf(value)).catch(() => undefined);
      if (read !== undefined) onFields(read);
      looked += 1;
      if (looked % PROFILES_A_TURN === 0) await new Promise<void>((resolve) => host.setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
}
