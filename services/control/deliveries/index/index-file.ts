// The file of the index: opened, changed in transactions, and thrown away where it is damaged or too old.
import { CallEnds } from "./call-ends.ts";
import { INDEX_FILES, type IndexDisk, isDamage, messageOf } from "./database.ts";
import { type Eras, erasOf, UNUSED_MS } from "./eras.ts";
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
  /** Files unless given. */
  readonly disk?: IndexDisk;
}

export class IndexFile {
  readonly #options: IndexFileOptions;
  readonly #disk: IndexDisk;
  #opened: Opened;
  #epoch = 0;
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

  /** Throws everything away: the topics are read from their beginnings. */
  discard(why: string): void {
    this.#options.onDiscarded(why);
    this.#epoch += 1;
    this.#disk.discard(this.#opened.file);
    this.#opened = this.#open();
  }

  /** `last` is changed before. Safe to call again. */
  close(last: (opened: Opened) => void): void {
    this.#isClosed = true;
    if (this.#opened.file.database.isOpen) this.change(last);
    this.#disk.close(this.#opened.file);
  }

  #open(): Opened {
    const file = this.#disk.open(this.#options);
    const sql = new Statements(file.database);
    const eras = beginLife(sql, this.#options.nowMs());
    if (eras === undefined) {
      this.#options.onDiscarded("it was not used for six days");
      this.#disk.discard(file);
      return this.#open();
    }
    const counts = { flow: new FlowCounts(eras), issues: new IssueCounts() };
    return { file, sql, eras, writers: new Writers(sql), callEnds: new CallEnds(sql), ...counts };
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

/** Undefined for an index that was not used for too long: topics may have dropped what it has not read. */
function beginLife(sql: Statements, nowMs: number): Eras | undefined {
  const [life] = sql.all("SELECT created_ms, used_ms FROM life");
  if (life === undefined) {
    sql.run("INSERT INTO life VALUES (?, ?)", nowMs, nowMs);
    return erasOf(nowMs);
  }
  return nowMs - Number(life["used_ms"]) > UNUSED_MS ? undefined : erasOf(Number(life["created_ms"]));
}

export function noteUse(sql: Statements, nowMs: number): void {
  sql.run("UPDATE life SET used_ms = ?", nowMs);
}
