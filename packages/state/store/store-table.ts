import type { WindowFiles, WindowTable } from "../window-files.ts";
import {
  dueIn,
  dueKeyOf,
  type EntryFacts,
  entryIn,
  factsIn,
  keyIn,
  type StoreEntry,
  tableKeyOf,
  toTableValue,
} from "./entry.ts";

/**
 * The offset up to which the changelog is in the table; written in the transaction that brings the entries.
 */
export interface Checkpoint {
  readonly topic: string;
  /** Every record below this offset is in the table. */
  readonly offset: number;
  /** When it was taken. */
  readonly atMs: number;
  /** A record below it, which differs in a topic that was created again; null when there is none. */
  readonly seen: { readonly offset: number; readonly timestampMs: number } | null;
}

export interface TableChange {
  readonly entries: Iterable<StoreEntry>;
  readonly removed?: Iterable<string>;
  /** Keys whose newest record is not the last one of the changelog. */
  readonly outdated?: Iterable<string>;
  /** Keys that are not outdated any more. */
  readonly repaired?: Iterable<string>;
  readonly checkpoint?: Checkpoint | undefined;
}

const CHECKPOINT_KEY = Buffer.from("checkpoint");
const NOTHING = Buffer.of(1);

/** The files of one partition of a store: the entries, their due times in order, and the checkpoint. */
export class StoreTable {
  readonly #files: WindowFiles;
  readonly #entries: WindowTable;
  readonly #due: WindowTable;
  readonly #outdated: WindowTable;
  readonly #meta: WindowTable;

  constructor(files: WindowFiles) {
    this.#files = files;
    this.#entries = files.table("entries");
    this.#due = files.table("due");
    this.#outdated = files.table("outdated");
    this.#meta = files.table("meta");
  }

  get count(): number {
    return (this.#entries.getStats() as { entryCount: number }).entryCount;
  }

  checkpoint(): Checkpoint | undefined {
    const bytes = this.#meta.getBinary(CHECKPOINT_KEY);
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as Checkpoint);
  }

  get(key: string): StoreEntry | undefined {
    const tableKey = tableKeyOf(key);
    const bytes = this.#entries.getBinary(tableKey);
    return bytes === undefined ? undefined : entryIn(tableKey, bytes);
  }

  facts(key: string): EntryFacts | undefined {
    return this.#factsAt(tableKeyOf(key));
  }

  /** Keys in the table's order, which is the one of their bytes; those behind `after`. */
  *keys(after?: string): Generator<string> {
    const start = after === undefined ? undefined : Buffer.concat([tableKeyOf(after), Buffer.of(0)]);
    for (const tableKey of this.#entries.getKeys(start === undefined ? {} : { start }))
      yield this.#keyOf(tableKey);
  }

  /** The earliest due first. */
  *due(): Generator<{ readonly key: string; readonly dueMs: number }> {
    for (const dueKey of this.#due.getKeys()) {
      const { dueMs, tableKey } = dueIn(dueKey);
      yield { key: this.#keyOf(tableKey), dueMs };
    }
  }

  outdated(): string[] {
    return Array.from(this.#outdated.getKeys(), (tableKey) => this.#keyOf(tableKey));
  }

  /** One transaction; resolves when it is on disk. Not to be called again for a key before that. */
  async write({
    entries,
    removed = [],
    outdated = [],
    repaired = [],
    checkpoint,
  }: TableChange): Promise<void> {
    await this.#files.batch(() => {
      for (const key of removed) this.#remove(key);
      for (const entry of entries) this.#put(entry);
      for (const key of outdated) void this.#outdated.put(tableKeyOf(key), NOTHING);
      for (const key of repaired) void this.#outdated.remove(tableKeyOf(key));
      if (checkpoint !== undefined)
        void this.#meta.put(CHECKPOINT_KEY, Buffer.from(JSON.stringify(checkpoint)));
    });
  }

  close(): Promise<void> {
    return this.#files.close();
  }

  #factsAt(tableKey: Buffer): EntryFacts | undefined {
    const bytes = this.#entries.getBinaryFast(tableKey);
    return bytes === undefined ? undefined : factsIn(bytes);
  }

  #keyOf(tableKey: Buffer): string {
    const key = keyIn(tableKey);
    if (key !== undefined) return key;
    const bytes = this.#entries.getBinary(tableKey);
    return bytes === undefined ? "" : entryIn(tableKey, bytes).key;
  }

  #put(entry: StoreEntry): void {
    const tableKey = tableKeyOf(entry.key);
    const before = this.#factsAt(tableKey);
    const dueBefore = before && dueKeyOf(before.dueMs, tableKey);
    const due = dueKeyOf(entry.dueMs, tableKey);
    if (dueBefore !== undefined && due?.equals(dueBefore) !== true) void this.#due.remove(dueBefore);
    if (due !== undefined && dueBefore?.equals(due) !== true) void this.#due.put(due, NOTHING);
    void this.#entries.put(tableKey, toTableValue(entry));
  }

  #remove(key: string): void {
    const tableKey = tableKeyOf(key);
    const before = this.#factsAt(tableKey);
    const due = before && dueKeyOf(before.dueMs, tableKey);
    if (due !== undefined) void this.#due.remove(due);
    void this.#entries.remove(tableKey);
  }
}
