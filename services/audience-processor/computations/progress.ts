import type { Host } from "#host";
import type { OutgoingRecord, Table } from "#kafka";
import { type AudienceProgress, audienceProgressKey } from "#topics";

const WRITE_EVERY_MS = 1_000;
/** So many at a time. */
const MOST_ENDED = 1_000;

export interface ProgressOptions {
  readonly table: Pick<Table<AudienceProgress>, "get" | "entries">;
  record(progress: AudienceProgress): OutgoingRecord;
  /** The end of what is said under the key. */
  end(key: string): OutgoingRecord;
  /** Resolves when the records are acknowledged. */
  send(records: readonly OutgoingRecord[]): Promise<void>;
  readonly host: Pick<Host, "now" | "setInterval">;
  onError(error: unknown): void;
}

/** What is counted of a partition as it changes. */
type Counted = "members" | "incompleteProfiles";

interface Early {
  readonly partition: number;
  readonly members: number;
  readonly incompleteProfiles: number;
}

/** How far the partitions of this process are with each computation; written a little later, as often as it changes. */
export class Progress {
  readonly #options: ProgressOptions;
  /** Of owned partitions, by key: newer than the table. */
  readonly #own = new Map<string, AudienceProgress>();
  /** What was counted of a computation before the partition's first pass for it began, by key. */
  readonly #early = new Map<string, Early>();
  readonly #unwritten = new Set<string>();
  /** Keys that are sent, and not acknowledged yet. */
  #underWay: ReadonlySet<string> = new Set();
  readonly #timer: { clear(): void };
  #writing: Promise<void> | undefined;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#timer = options.host.setInterval(() => void this.write(), WRITE_EVERY_MS);
  }

  of(id: string, partition: number): AudienceProgress | undefined {
    const key = audienceProgressKey({ id, partition });
    return this.#own.get(key) ?? this.#options.table.get(key);
  }

  /** Ids of all that is known of a partition. */
  idsOf(partition: number): Set<string> {
    const ids = new Set<string>();
    for (const all of [this.#options.table.entries(), this.#own])
      for (const [, progress] of all) if (progress.partition === partition) ids.add(progress.id);
    return ids;
  }

  /** Resolves when all of it is written; what is not after the partition was forgotten never is. */
  async reportDurably(all: readonly AudienceProgress[]): Promise<void> {
    for (const progress of all) this.report(progress);
    const keys = all.map(audienceProgressKey);
    // Another caller may have begun the write with these keys: then they are under way, and that one is waited for.
    do await this.write();
    while (keys.some((key) => this.#unwritten.has(key) || this.#underWay.has(key)));
  }

  /** Written before it is known here: what follows from it, follows for whoever owns the partition next, too. Rejects when it was not written. */
  async writeAhead(all: readonly AudienceProgress[]): Promise<void> {
    await this.#options.send(all.map((progress) => this.#options.record(progress)));
  }

  report(progress: AudienceProgress): void {
    const key = audienceProgressKey(progress);
    const early = this.#early.get(key);
    this.#early.delete(key);
    this.#own.set(key, early === undefined ? progress : withMore(progress, early));
    this.#unwritten.add(key);
  }

  /** So many more, or fewer. A call may come before the first pass for a new computation has begun: it counts with its first report. */
  add(id: string, partition: number, more: { readonly [Count in Counted]?: number }): void {
    const known = this.of(id, partition);
    if (known !== undefined) {
      this.report({ ...withMore(known, more), updatedAtMs: this.#options.host.now() });
      return;
    }
    const key = audienceProgressKey({ id, partition });
    this.#early.set(
      key,
      withMore(this.#early.get(key) ?? { partition, members: 0, incompleteProfiles: 0 }, more),
    );
  }

  /** The partition is another process's: what that one writes counts. */
  forget(partition: number): void {
    for (const [key, progress] of this.#own) {
      if (progress.partition !== partition) continue;
      this.#own.delete(key);
      this.#unwritten.delete(key);
    }
    for (const [key, early] of this.#early) if (early.partition === partition) this.#early.delete(key);
  }

  /**
   * Ends what is said of computations that are forgotten, in partitions of this process. To be called now and then: what a former owner
   * writes behind that is ended by the next call.
   */
  async endForgotten(
    isForgotten: (id: string) => boolean,
    isOwned: (partition: number) => boolean,
  ): Promise<void> {
    const ended: string[] = [];
    for (const [key, { id, partition }] of this.#options.table.entries())
      if (ended.length < MOST_ENDED && isForgotten(id) && isOwned(partition)) ended.push(key);
    for (const key of ended) {
      this.#own.delete(key);
      this.#unwritten.delete(key);
    }
    if (ended.length > 0) await this.#options.send(ended.map((key) => this.#options.end(key)));
  }

  /** Writes what is not written; what cannot be written now is tried again. */
  write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async close(): Promise<void> {
    this.#timer.clear();
    await this.write();
    await this.write();
  }

  async #write(): Promise<void> {
    const keys = [...this.#unwritten];
    this.#unwritten.clear();
    const records = keys.flatMap((key) => {
      const progress = this.#own.get(key);
      return progress === undefined ? [] : [this.#options.record(progress)];
    });
    if (records.length === 0) return;
    this.#underWay = new Set(keys);
    try {
      await this.#options.send(records);
    } catch (error) {
      for (const key of keys) if (this.#own.has(key)) this.#unwritten.add(key);
      this.#options.onError(error);
    } finally {
      this.#underWay = new Set();
    }
  }
}

function withMore<P extends { readonly [Count in Counted]: number }>(
  known: P,
  { members = 0, incompleteProfiles = 0 }: { readonly [Count in Counted]?: number },
): P {
  return {
    ...known,
    members: Math.max(0, known.members + members),
    incompleteProfiles: Math.max(0, known.incompleteProfiles + incompleteProfiles),
  };
}
