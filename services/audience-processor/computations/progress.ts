import type { Host } from "#host";
import type { OutgoingRecord, Table } from "#kafka";
import { type AudienceProgress, audienceProgressKey } from "#topics";

const WRITE_EVERY_MS = 1_000;
/** So many at a time. */
const MOST_ENDED = 1_000;

export interface ProgressOptions {
  readonly table: Pick<Table<AudienceProgress>, "get" | "entries" | "onChange">;
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

/** What changes with the calls that come. */
const COUNTS: ReadonlySet<string> = new Set<Counted | "updatedAtMs">([
  "members",
  "incompleteProfiles",
  "updatedAtMs",
]);

type Early = Pick<AudienceProgress, Counted | "partition">;

/** How far the partitions of this process are with each computation; written a little later, as often as it changes. */
export class Progress {
  readonly #options: ProgressOptions;
  /** Of owned partitions, by key: newer than the table. */
  readonly #own = new Map<string, AudienceProgress>();
  /** What was counted of a computation before the partition's first pass for it began, by key. */
  readonly #early = new Map<string, Early>();
  /** Of all that is known, by partition. */
  readonly #ids = new Map<number, Set<string>>();
  readonly #unwritten = new Set<string>();
  /** Keys that are sent, and not acknowledged yet. */
  #underWay: ReadonlySet<string> = new Set();
  readonly #timer: { clear(): void };
  #writing: Promise<void> | undefined;
  #changes = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    const { table } = options;
    for (const [, known] of table.entries()) this.#idsOf(known.partition).add(known.id);
    table.onChange((key, known, before) => this.#seen(key, known, before));
    this.#timer = options.host.setInterval(() => void this.write(), WRITE_EVERY_MS);
  }

  of(id: string, partition: number): AudienceProgress | undefined {
    const key = audienceProgressKey({ id, partition });
    return this.#own.get(key) ?? this.#options.table.get(key);
  }

  /** Another number after each change of what is known, here or in the table, counts left out. */
  get changes(): number {
    return this.#changes;
  }

  /** Ids of all that is known of a partition. */
  idsOf(partition: number): ReadonlySet<string> {
    return this.#idsOf(partition);
  }

  #idsOf(partition: number): Set<string> {
    const ids = this.#ids.get(partition) ?? new Set<string>();
    this.#ids.set(partition, ids);
    return ids;
  }

  /** In the table. */
  #seen(key: string, known: AudienceProgress | undefined, before: AudienceProgress | undefined): void {
    if (known !== undefined) this.#idsOf(known.partition).add(known.id);
    // A former owner has ended it late.
    else if (this.#own.has(key)) this.#unwritten.add(key);
    else if (before !== undefined) this.#idsOf(before.partition).delete(before.id);
    if (known === undefined || before === undefined || isOther(known, before)) this.#changes += 1;
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
    this.#keep(key, { ...progress, ...early });
    this.#idsOf(progress.partition).add(progress.id);
    this.#changes += 1;
  }

  #keep(key: string, progress: AudienceProgress): void {
    this.#own.set(key, progress);
    this.#unwritten.add(key);
  }

  /** There are so many by now. */
  setMembers(id: string, partition: number, members: number): void {
    this.#count(id, partition, () => ({ members }));
  }

  /** So many more, or fewer. */
  addIncomplete(id: string, partition: number, more: number): void {
    this.#count(id, partition, ({ incompleteProfiles }) => ({
      incompleteProfiles: Math.max(0, incompleteProfiles + more),
    }));
  }

  /** A call may come before the first pass for a new computation has begun: it counts with its first report. */
  #count(id: string, partition: number, counted: (known: Early) => Partial<Early>): void {
    const known = this.of(id, partition);
    const key = audienceProgressKey({ id, partition });
    if (known !== undefined) {
      this.#keep(key, { ...known, ...counted(known), updatedAtMs: this.#options.host.now() });
      return;
    }
    const early = this.#early.get(key) ?? { partition, members: 0, incompleteProfiles: 0 };
    this.#early.set(key, { ...early, ...counted(early) });
  }

  /** The partition is another process's: what that one writes counts. */
  forget(partition: number): void {
    for (const [key, progress] of this.#own) {
      if (progress.partition !== partition) continue;
      this.#own.delete(key);
      this.#unwritten.delete(key);
      if (this.#options.table.get(key) === undefined) this.#idsOf(partition).delete(progress.id);
    }
    this.#changes += 1;
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
    await this.end(ended);
  }

  /** Ends what is said under these keys, of partitions of this process. */
  async end(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#own.delete(key);
      this.#unwritten.delete(key);
    }
    if (keys.length > 0) await this.#options.send(keys.map((key) => this.#options.end(key)));
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

function isOther(known: AudienceProgress, before: AudienceProgress): boolean {
  const fields = Object.keys(known) as (keyof AudienceProgress)[];
  return fields.some((field) => !COUNTS.has(field) && known[field] !== before[field]);
}
