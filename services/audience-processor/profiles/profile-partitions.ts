// The partitions of profiles that this process owns: each is restored, worked on, and given up.
import { join } from "node:path";
import type { Step, TopicPartition } from "#kafka";
import { SideBySide } from "../side-by-side.ts";
import { leastVersionOf } from "./batch.ts";
import type { Happening } from "./event.ts";
import type { Companion, OwnStore, ProfilePartitionsOptions } from "./partition-parts.ts";
import { PartitionWorker } from "./partition-worker.ts";
import type { Tide } from "./watermark.ts";

/** Partitions that are restored at a time. Each holds 4 MB. */
const RESTORED_AT_A_TIME = 4;

interface Owned {
  readonly ending: AbortController;
  /** All events below it are in the profiles that were restored. What another owner has committed since is not. */
  restoredTo: number;
  /** Time stands there until it is known how far it may go. */
  openedAtMs: number;
  progress?: { readonly done: number; readonly total: number };
  worker?: PartitionWorker;
  /** Of the store, which may be under way when the partition is lost. */
  opening?: Promise<OwnStore>;
  store?: OwnStore;
  companion?: Companion;
}

export class ProfilePartitions {
  readonly #options: ProfilePartitionsOptions;
  readonly #owned = new Map<number, Owned>();
  /** A store that is still opening or closing must not be opened a second time. */
  readonly #closing = new Map<number, Promise<void>>();
  readonly #restoring = new SideBySide(RESTORED_AT_A_TIME);
  #isReadingOver = false;
  #isTicking = false;

  constructor(options: ProfilePartitionsOptions) {
    this.#options = options;
  }

  /** Partitions that are not open yet, with how far their restore is. */
  get opening(): string[] {
    return [...this.#owned].flatMap(([partition, { progress, worker }]) => {
      if (worker !== undefined) return [];
      if (progress === undefined || progress.total === 0) return [`${partition}`];
      return [`${partition} (${Math.floor((100 * progress.done) / progress.total)} %)`];
    });
  }

  get profiles(): number {
    let sum = 0;
    for (const { store } of this.#owned.values()) sum += store?.count ?? 0;
    return sum;
  }

  /** Windows of all open partitions have ended up to this moment, Unix ms; undefined: none is open. */
  get endedUntilMs(): number | undefined {
    const open = [...this.#owned.values()].flatMap(({ openedAtMs, worker }) =>
      worker === undefined ? [] : Math.max(openedAtMs, worker.endedUntilMs),
    );
    return open.length === 0 ? undefined : Math.min(...open);
  }

  readonly step: Step<Happening> = (record, settle, claim) => {
    const worker = this.#owned.get(record.partition)?.worker;
    if (worker === undefined) claim.giveBack();
    else worker.take({ record, settle, claim });
  };

  /** Resolves when the partition is restored, and as soon as it is revoked. */
  async open({ partition }: Pick<TopicPartition, "partition">): Promise<void> {
    const owned: Owned = { ending: new AbortController(), restoredTo: 0, openedAtMs: 0 };
    this.#owned.set(partition, owned);
    await this.#closing.get(partition);
    await this.#restoring.run(async () => {
      try {
        if (!owned.ending.signal.aborted) await this.#restore(partition, owned);
      } catch (error) {
        if (owned.ending.signal.aborted) return;
        // It is tried again, with a store that is opened anew; nobody is to ask the closed one meanwhile.
        const { store } = owned;
        delete owned.store;
        await store?.close();
        throw error;
      }
    });
  }

  revoked(partitions: readonly Pick<TopicPartition, "partition">[]): void {
    for (const { partition } of partitions) void this.#disown(partition);
  }

  /** All calls that came before the tide's moment are in profile events below its ends. */
  tide({ atMs, ends }: Tide): void {
    void this.#each((partition, { restoredTo, worker }) => {
      const end = ends.get(partition) ?? 0;
      const reached = this.#options.position(partition) ?? restoredTo;
      if (reached >= end) worker?.advanceTo(atMs);
    });
  }

  /** To be called a few times a second. */
  tick(): void {
    if (this.#isTicking) return;
    this.#isTicking = true;
    const done = this.#each((_, { companion, store, worker }) => {
      worker?.advanceTo(0);
      companion?.advance();
      store?.flush().catch((error: unknown) => this.#options.onFailed(error));
    });
    if (done === undefined) this.#isTicking = false;
    else
      void done.finally(() => {
        this.#isTicking = false;
      });
  }

  /**
   * In later turns of the event loop where this one has no time left: after a change of one definition each partition compiles all of them. Undefined when
   * all partitions had their turn in this one.
   */
  #each(work: (partition: number, owned: Owned) => void): Promise<void> | undefined {
    const { onFailed, turnTime } = this.#options;
    const done = turnTime.each(this.#owned, ([partition, owned]) => {
      if (this.#owned.get(partition) === owned) work(partition, owned);
    });
    return done?.catch((error: unknown) => onFailed(error));
  }

  /** No record is handed on any more: what workers that have failed hold can be given back. */
  readingIsOver(): void {
    this.#isReadingOver = true;
    for (const { worker } of this.#owned.values()) if (worker?.isFailed === true) worker.close();
  }

  /** Takes checkpoints, and finds what former owners have written late. */
  async refresh(): Promise<void> {
    // At once: they ask where one topic ends, which is one request for all of them.
    await Promise.all([...this.#owned.values()].map(({ store }) => store?.refresh()));
  }

  async close(): Promise<void> {
    await this.refresh().catch(() => undefined);
    await Promise.all([...this.#owned.keys()].map((partition) => this.#disown(partition)));
    await Promise.all(this.#closing.values());
  }

  async #restore(partition: number, owned: Owned): Promise<void> {
    const { directory, ownership, send, store: options } = this.#options;
    const { signal } = owned.ending;
    const begunAtMs = options.now();
    owned.restoredTo = await this.#options.committed(partition);
    if (signal.aborted) return;
    owned.opening = this.#options.openStore({
      ...options,
      directory: join(directory, String(partition)),
      partition,
      signal,
      onProgress: (done, total) => {
        owned.progress = { done, total };
      },
    });
    const store = await owned.opening;
    if (signal.aborted) return;
    owned.store = store;
    const own = ownership(partition);
    await store.own({
      get isOurs() {
        return !signal.aborted && own.isOurs;
      },
      send,
    });
    if (signal.aborted) return;
    await this.#options.prepare();
    if (signal.aborted) return;
    const leastVersion = leastVersionOf({ reached: store.reached, generation: this.#options.generation() });
    const sizes = await this.#options.openSizes({ partition, store, leastVersion, signal });
    if (signal.aborted) return;
    owned.openedAtMs = options.now();
    this.#options.onRestored(Math.max(0, owned.openedAtMs - begunAtMs));
    owned.companion = this.#options.begin(partition, signal, (parts) => {
      const onFailed = (error: unknown): void => {
        parts.onFailed(error);
        if (this.#isReadingOver) this.readingIsOver();
      };
      const { restoredTo: settledTo } = owned;
      const roomBytes = (): number => this.#options.roomBytes / Math.max(1, this.#owned.size);
      const worker = new PartitionWorker({
        ...parts,
        ...{ onFailed, store, sizes, settledTo, leastVersion, roomBytes, ownership: own },
      });
      owned.worker = worker;
      return worker;
    });
  }

  #disown(partition: number): Promise<void> {
    const owned = this.#owned.get(partition);
    this.#owned.delete(partition);
    if (owned === undefined) return Promise.resolve();
    owned.ending.abort();
    owned.worker?.close();
    this.#options.onRevoked(partition);
    // One that waited for the close of a store before has none itself: the next waits for that, too.
    const before = this.#closing.get(partition);
    const closed: Promise<void> = Promise.all([before, owned.store?.close() ?? closeOnceOpen(owned)])
      .catch((error: unknown) => this.#options.onFailed(error))
      .then(() => {
        if (this.#closing.get(partition) === closed) this.#closing.delete(partition);
      });
    this.#closing.set(partition, closed);
    return closed;
  }
}

/** One that cannot be opened has closed itself. */
function closeOnceOpen({ opening }: Owned): Promise<void> | undefined {
  return opening?.then(
    (store) => store.close(),
    () => undefined,
  );
}
