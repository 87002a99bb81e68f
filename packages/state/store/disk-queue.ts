// Entries and removals that the changelog has and the disk does not have yet. Only the newest of a key is
// written, and many are written in one transaction: a transaction costs the disk about the same, whatever it
// carries.
import { type StoreChange, type StoreEntry, tableKeyOf } from "./entry.ts";
import type { StoreTable, TableChange } from "./store-table.ts";

/**
 * The limit at which entries are written without being asked; as much again may come in meanwhile, then
 * callers wait.
 */
const FULL = { entries: 2_000, bytes: 4 * 1024 * 1024 };

export class DiskQueue {
  readonly #table: Pick<StoreTable, "facts" | "write">;
  #next = new Map<string, StoreChange>();
  #nextBytes = 0;
  /** Entries in the transaction under way. */
  #writing: ReadonlyMap<string, StoreChange> = new Map();
  /** Keys that the disk does not have at all. */
  readonly #new = new Set<string>();
  /** Keys that may be new to the disk: it is asked when the count is wanted, and most are written before. */
  readonly #unknown = new Set<string>();
  #sorted: readonly string[] | undefined = [];
  #underWay: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(table: Pick<StoreTable, "facts" | "write">) {
    this.#table = table;
  }

  get(key: string): StoreChange | undefined {
    return this.#next.get(key) ?? this.#writing.get(key);
  }

  /** The number of keys that the disk does not have at all. */
  get newKeys(): number {
    this.#findNew();
    return this.#new.size;
  }

  /** Keys that the disk does not have at all, in the table's order. */
  sortedNewKeys(): readonly string[] {
    this.#findNew();
    this.#sorted ??= Array.from(this.#new, (key) => ({ key, tableKey: tableKeyOf(key) }))
      .sort((a, b) => Buffer.compare(a.tableKey, b.tableKey))
      .map(({ key }) => key);
    return this.#sorted;
  }

  /** Keys are unique. */
  *entries(): Generator<StoreChange> {
    yield* this.#next.values();
    for (const [key, entry] of this.#writing) if (!this.#next.has(key)) yield entry;
  }

  /** Resolves when there is room for more; rejects when the disk has refused. */
  async room(): Promise<void> {
    if (this.#isFull()) await this.#underWay;
    this.#throwFailure();
  }

  add(entries: readonly StoreChange[]): void {
    for (const entry of entries) {
      const { key, value } = entry;
      const known = this.#next.get(key);
      if (known === undefined && !this.#writing.has(key)) this.#unknown.add(key);
      this.#nextBytes += (value?.length ?? 0) - (known?.value?.length ?? 0);
      this.#next.set(key, entry);
    }
    if (this.#isFull()) this.#begin();
  }

  /** Resolves when all that was added is on disk; rejects when the disk has refused. A store that is closed drops the rest. */
  async flush(): Promise<void> {
    while (!this.#isClosed && (this.#next.size > 0 || this.#underWay !== undefined)) {
      this.#throwFailure();
      this.#begin();
      await this.#underWay;
    }
    this.#throwFailure();
  }

  /** Resolves when no transaction is under way; none is begun any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#underWay;
  }

  #isFull(): boolean {
    return this.#next.size >= FULL.entries || this.#nextBytes >= FULL.bytes;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #begin(): void {
    if (this.#underWay !== undefined || this.#failure !== undefined || this.#isClosed) return;
    this.#underWay = this.#write().finally(() => {
      this.#underWay = undefined;
      if (this.#isFull()) this.#begin();
    });
  }

  /** Never rejects. What could not be written is still answered from here. */
  async #write(): Promise<void> {
    const changes = this.#next;
    this.#writing = changes;
    this.#next = new Map();
    this.#nextBytes = 0;
    try {
      await this.#table.write(tableChangeOf(changes.values()));
    } catch (error) {
      this.#failure = { error };
      return;
    }
    this.#writing = new Map();
    for (const key of changes.keys()) {
      this.#unknown.delete(key);
      if (this.#new.delete(key)) this.#sorted = undefined;
      // It was removed, and has come again meanwhile.
      if (changes.get(key)?.value === null && this.#next.has(key)) this.#unknown.add(key);
    }
  }

  #findNew(): void {
    for (const key of this.#unknown) {
      if (this.#table.facts(key) !== undefined) continue;
      this.#new.add(key);
      this.#sorted = undefined;
    }
    this.#unknown.clear();
  }
}

function tableChangeOf(changes: Iterable<StoreChange>): Pick<TableChange, "entries" | "removed"> {
  const entries: StoreEntry[] = [];
  const removed: string[] = [];
  for (const change of changes)
    if (change.value === null) removed.push(change.key);
    else entries.push(change);
  return { entries, removed };
}
