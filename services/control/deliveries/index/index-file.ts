// The file of the index: opened, changed in transactions, and thrown away where it is damaged or too old.
import { CallEnds } from "./call-ends.ts";
import { INDEX_FILES, type IndexDisk, isDamage, messageOf } from "./database.ts";
import { erasOf, UNUSED_MS } from "./eras.ts";
import { FlowCounts } from "./flow-table.ts";
import { IssueCounts } from "./issue-counts.ts";
import type { Opened } from "./records.ts";
import { Statements } from "./sql.ts";
import { Writers } from "./writers.ts";

export interface IndexFileOptions {
  readonly folder: string;
  readonly nowMs: () => number;
  /** The file was thrown away; everything is read from the topics again. */
  readonly onDiscarded: (why: string) => void;
  /** A file was made, of which nothing is read yet. */
  readonly onMade?: ((createdMs: number) => void) | undefined;
  /** In how many further files recorded calls are: a file that says another number is thrown away. 0 unless given. */
  readonly shares?: number | undefined;
  /** Of a share, the name of its file. One that is made has no life before `begin`. */
  readonly name?: string | undefined;
  /** Files unless given. */
  readonly disk?: IndexDisk;
}

export class IndexFile {
  readonly #options: IndexFileOptions;
  readonly #disk: IndexDisk;
  #opened: Opened;
  #epoch = 0;
  #madeMs = 0;
  #isClosed = false;

  constructor(options: IndexFileOptions) {
    this.#options = options;
    this.#disk = options.disk ?? INDEX_FILES;
    this.#opened = this.#open();
  }

  /** Grows when everything was thrown away: what was read before then continues nothing. */
  get epoch(): number {
    return this.#epoch;
  }

  /** A damaged file shows when it is used: it is thrown away, and the work done on an empty one. */
  use<R>(work: (opened: Opened) => R): R {
    // A file could not be made in place of the one that was thrown away: there was no room, perhaps.
    if (!this.#opened.file.database.isOpen && !this.#isClosed) this.#opened = this.#open();
    try {
      return work(this.#opened);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.discard(messageOf(error));
      return work(this.#opened);
    }
  }

  /** As `use`, in one transaction. What is kept in memory is as the file is, also after one that failed. */
  change<R>(work: (opened: Opened) => R): R {
    return this.use((opened) => inTransaction(opened, work));
  }

  /** When the index was made that the file is of, Unix ms; 0 of a share that belongs to none. */
  get createdMs(): number {
    return this.#opened.createdMs;
  }

  /** Where the file is. */
  get path(): string {
    return this.#opened.file.file;
  }

  /** Throws everything away: the topics are read from their beginnings. */
  discard(why: string): void {
    try {
      this.#replace();
    } finally {
      this.#options.onDiscarded(why);
    }
  }

  /** Throws it away where the clock was ahead while it was used, and was set right since. */
  checkClock(): void {
    const why = this.use(({ sql }) => whyAhead(lifeOf(sql), this.#options.nowMs()));
    if (why !== undefined) this.discard(why);
  }

  /** Of a share: it goes on where it is of this index, else begins with nothing. */
  begin(createdMs: number): void {
    if (createdMs !== this.createdMs) this.#replace(createdMs);
  }

  #replace(createdMs = this.#newMs()): void {
    this.#epoch += 1;
    this.#disk.discard(this.#opened.file);
    this.#opened = this.#open(createdMs);
  }

  /** `last` is changed before. Safe to call again. */
  close(last: (opened: Opened) => void): void {
    this.#isClosed = true;
    if (this.#opened.file.database.isOpen) this.change(last);
    this.#disk.close(this.#opened.file);
  }

  /** An index is told from the one before it by when it was made. */
  #newMs(): number {
    if (this.#options.name !== undefined) return NO_LIFE;
    const nowMs = this.#options.nowMs();
    this.#madeMs = isAhead(this.#madeMs, nowMs) ? nowMs : Math.max(nowMs, this.#madeMs + 1);
    return this.#madeMs;
  }

  #open(newMs = this.#newMs()): Opened {
    const { nowMs, onDiscarded, onMade, shares = 0 } = this.#options;
    const file = this.#disk.open(this.#options);
    const sql = new Statements(file.database);
    const life = lifeOf(sql) ?? beginLife(sql, { createdMs: newMs, usedMs: nowMs(), shares });
    const why = life.isNew ? undefined : whyOver(life, shares, nowMs());
    if (why !== undefined) {
      onDiscarded(why);
      this.#disk.discard(file);
      return this.#open(newMs);
    }
    this.#madeMs = life.createdMs;
    if (life.isNew) onMade?.(life.createdMs);
    const eras = erasOf(life.createdMs);
    const counts = { flow: new FlowCounts(eras), issues: new IssueCounts() };
    const { createdMs } = life;
    return { file, sql, createdMs, eras, writers: new Writers(sql), callEnds: new CallEnds(sql), ...counts };
  }
}

function inTransaction<R>(opened: Opened, work: (opened: Opened) => R): R {
  const { database } = opened.file;
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work(opened);
    database.exec("COMMIT");
    opened.flow.committed();
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    opened.writers.reload();
    opened.flow.forget();
    opened.issues.forget();
    opened.callEnds.reload();
    throw error;
  }
}

/** Clocks may differ by less. */
const AHEAD_MS = 3_600_000;
/** Of a share's file that no index has taken for its own: it is on the disk before anything else is. */
const NO_LIFE = 0;

interface Life {
  readonly createdMs: number;
  readonly usedMs: number;
  readonly shares: number;
  readonly isNew?: true;
}

/** Undefined for a file that has just been made. */
function lifeOf(sql: Statements): Life | undefined {
  const [row] = sql.all("SELECT created_ms, used_ms, shares FROM life");
  if (row === undefined) return undefined;
  const [createdMs, usedMs] = [Number(row["created_ms"]), Number(row["used_ms"])];
  return { createdMs, usedMs, shares: Number(row["shares"]) };
}

function beginLife(sql: Statements, { createdMs, shares, usedMs }: Life): Life {
  sql.run("INSERT INTO life VALUES (?, ?, ?)", createdMs, usedMs, shares);
  return { createdMs, usedMs, shares, isNew: true };
}

/** Why a file is of no use any more. After so long topics may have dropped what it has not read. */
function whyOver(life: Life, shares: number, nowMs: number): string | undefined {
  if (life.shares !== shares) return `recorded calls were in ${life.shares} threads, and are in ${shares}`;
  if (nowMs - life.usedMs > UNUSED_MS) return "it was not used for six days";
  return whyAhead(life, nowMs);
}

/** By a clock that is ahead a file deletes what is new, and made then it never counts again. */
function whyAhead(life: Life | undefined, nowMs: number): string | undefined {
  const lastMs = Math.max(life?.createdMs ?? 0, life?.usedMs ?? 0);
  return isAhead(lastMs, nowMs) ? "it was used when the clock was ahead" : undefined;
}

function isAhead(atMs: number, nowMs: number): boolean {
  return atMs > nowMs + AHEAD_MS;
}

export function noteUse(sql: Statements, nowMs: number): void {
  sql.run("UPDATE life SET used_ms = ?", nowMs);
}
