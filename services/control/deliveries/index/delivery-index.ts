// What became of calls, where it can be looked up: attempts, totals per minute, dead letters, what the router says of calls, and who changed what, read from their topics into a file of
// this process. Offsets are kept in the transactions of the rows, so every record is in it once; what is lost is read again.
import type { CallUser } from "#contract";
import type { AuditFilter, AuditNote } from "../../http/audit/parts.ts";
import {
  type AttemptFilter,
  type ListedAttempt,
  listAttempts,
  listAttemptsOfIssue,
} from "./attempts-table.ts";
import { listAuditEntries } from "./audit-table.ts";
import { CallEnds } from "./call-ends.ts";
import { type Counted, countUpTo } from "./counts.ts";
import { INDEX_FILES, type IndexDisk, isDamage, messageOf } from "./database.ts";
import {
  countDeadLetters,
  type DeadLetterFilter,
  findDeadLetter,
  type ListedDeadLetter,
  listDeadLetters,
  replayablePlaces,
} from "./dead-letters-table.ts";
import { type FlowBetween, sumBetween } from "./flow-between.ts";
import type { FlowQuery } from "./flow-stages.ts";
import { FlowCounts, type FlowSum, sumFlow } from "./flow-table.ts";
import type { Entry, Indexed, Stretch } from "./indexed.ts";
import { IssueCounts } from "./issue-counts.ts";
import { findIssue, type Issue, type IssueFilter, listIssues } from "./issues-table.ts";
import { beginLife, noteUse } from "./life.ts";
import { type NameSum, sumNames } from "./names-table.ts";
import { insertRecord, type Opened } from "./records.ts";
import { type ListedRefused, listRefused, type RefusedFilter } from "./refused-calls-table.ts";
import { deleteOld, partitionsOf, type RetentionRules, ROUTED_CALLS } from "./retention.ts";
import { type DueRollup, dueRollups, settleDue } from "./rollups-table.ts";
import {
  type CallOfSource,
  type CallsOfSource,
  eventOf,
  type ListedRoutedCall,
  type LookAtRoutedCalls,
  type LookedAtRoutedCalls,
  listCallsOfSource,
  listRoutedCalls,
  lookAtRoutedCalls,
  type RoutedCallFilter,
} from "./routed-calls-table.ts";
import { type Spans, spansOf } from "./spans.ts";
import { type Page, Statements } from "./sql.ts";
import { type RequestSum, sumRequests } from "./totals-table.ts";
import { Writers } from "./writers.ts";

export interface DeliveryIndexOptions {
  readonly folder: string;
  readonly nowMs: () => number;
  /** The file was thrown away; everything is read from the topics again. */
  readonly onDiscarded: (why: string) => void;
  /** Files unless given. */
  readonly disk?: IndexDisk;
}

export class DeliveryIndex {
  readonly #options: DeliveryIndexOptions;
  readonly #disk: IndexDisk;
  #opened: Opened;
  #epoch = 0;

  constructor(options: DeliveryIndexOptions) {
    this.#options = options;
    this.#disk = options.disk ?? INDEX_FILES;
    this.#opened = this.#open();
  }

  /** Grows when everything was thrown away: what was read before then continues nothing. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Where reading goes on; undefined for a partition that was never read. */
  position(kind: Indexed, partition: number): number | undefined {
    return this.#use(({ sql }) => {
      const [row] = sql.all(
        "SELECT next_offset FROM positions WHERE topic = ? AND partition = ?",
        kind,
        partition,
      );
      return row === undefined ? undefined : Number(row["next_offset"]);
    });
  }

  /** Rows and position in one transaction. Some hundred records at a time: nothing else runs meanwhile. */
  apply<K extends Indexed>({ kind, partition, entries, nextOffset, epoch }: Stretch<K>): void {
    this.#use((opened) => {
      if (epoch !== this.#epoch) return;
      this.#inTransaction(opened, ({ callEnds, flow, issues, sql, writers }) => {
        for (const entry of entries) insertRecord(opened, kind, entry as Entry<Indexed>);
        flow.save(sql, this.#options.nowMs());
        issues.save(sql);
        callEnds.save();
        writers.save(this.#options.nowMs());
        sql.run("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", kind, partition, nextOffset);
      });
    });
  }

  listAttempts(filter: AttemptFilter, page: Page): ListedAttempt[] {
    return this.#use(({ sql }) => listAttempts(sql, filter, page));
  }

  /** Whether anything is known of a destination, which may have been deleted since. */
  knowsDestination(id: string): boolean {
    const found = ["attempts", "totals", "dead_letters", "flow"].map(
      (table) => `EXISTS (SELECT 1 FROM ${table} WHERE destination_id = ?)`,
    );
    return this.#use(({ sql }) => sql.number(`SELECT ${found.join(" OR ")}`, id, id, id, id) > 0);
  }

  sumNames(query: FlowQuery): NameSum[] {
    return this.#use((opened) =>
      this.#inTransaction(opened, ({ flow, sql }) => {
        flow.saveNames(sql, this.#options.nowMs());
        return sumNames(sql, query);
      }),
    );
  }

  sumRequests(query: FlowQuery): RequestSum[] {
    return this.#use(({ sql }) => sumRequests(sql, query));
  }

  sumFlow(query: FlowQuery): FlowSum[] {
    return this.#use(({ sql }) => sumFlow(sql, query));
  }

  /** Of one minute, by its start. */
  sumBetween(minuteMs: number): FlowBetween[] {
    return this.#use(({ sql }) => sumBetween(sql, minuteMs));
  }

  listIssues(filter: IssueFilter, page: Page): Issue[] {
    return this.#use(({ sql }) => listIssues(sql, filter, page));
  }

  findIssue(id: string): Issue | undefined {
    return this.#use(({ sql }) => findIssue(sql, id));
  }

  /** The last ones, newest first. */
  listAttemptsOfIssue(issue: Issue, limit: number): ListedAttempt[] {
    return this.#use(({ sql }) => listAttemptsOfIssue(sql, issue, limit));
  }

  /** Roll-ups that their topics do not have yet, or did not have when the index looked. */
  dueRollups(limit: number): DueRollup[] {
    return this.#use(({ sql }) => dueRollups(sql, this.#options.nowMs(), limit));
  }

  /** Their topics have them. */
  settleRollups(due: readonly DueRollup[]): void {
    this.#use((opened) =>
      this.#inTransaction(opened, ({ sql }) => {
        for (const each of due) settleDue(sql, each);
      }),
    );
  }

  spans(): Spans {
    return this.#use(({ sql }) => spansOf(sql));
  }

  listAuditEntries(filter: AuditFilter, page: Page): AuditNote[] {
    return this.#use(({ sql }) => listAuditEntries(sql, filter, page));
  }

  listDeadLetters(filter: DeadLetterFilter, page: Page): ListedDeadLetter[] {
    return this.#use(({ sql }) => listDeadLetters(sql, filter, page));
  }

  listRoutedCalls(filter: RoutedCallFilter, limit: number): ListedRoutedCall[] {
    return this.#use(({ sql }) => listRoutedCalls(sql, filter, limit));
  }

  listCallsOfSource(filter: CallsOfSource, page: Page): CallOfSource[] {
    return this.#use(({ sql }) => listCallsOfSource(sql, filter, page));
  }

  listRefused(filter: RefusedFilter, page: Page): ListedRefused[] {
    return this.#use(({ sql }) => listRefused(sql, filter, page));
  }

  /** The name of a track call, where it is recorded. */
  eventOf(call: Required<RoutedCallFilter>): string | null {
    return this.#use(({ sql }) => eventOf(sql, call));
  }

  /** Partitions that have recorded calls. */
  routedCallPartitions(): number[] {
    return this.#use(({ sql }) => partitionsOf(sql, ROUTED_CALLS));
  }

  /** A few milliseconds for thousands of rows: nothing else runs meanwhile. */
  lookAtRoutedCalls(look: LookAtRoutedCalls): LookedAtRoutedCalls {
    return this.#use(({ sql }) => lookAtRoutedCalls(sql, look));
  }

  /** `user`: whose call it is to be. */
  findDeadLetter(id: string, user?: CallUser): ListedDeadLetter | undefined {
    return this.#use(({ sql }) => findDeadLetter(sql, id, user));
  }

  countDeadLetters(filter: DeadLetterFilter): number {
    return this.#use(({ sql }) => countDeadLetters(sql, filter));
  }

  /** Entries of a list, at most `most`: a few milliseconds for thousands. */
  countUpTo(counted: Counted, most: number): number {
    return this.#use(({ sql }) => countUpTo(sql, counted, most));
  }

  /** Of calls that can be replayed, in the order of their places. */
  replayablePlaces(filter: DeadLetterFilter, after: { above: number; limit: number }): number[] {
    return this.#use(({ sql }) => replayablePlaces(sql, filter, after));
  }

  /** Deletes some of what is too old or too much; true when there may be more. */
  deleteOld(rules: RetentionRules): boolean {
    return this.#use((opened) =>
      this.#inTransaction(opened, ({ flow, sql, writers }) => {
        flow.saveNames(sql, this.#options.nowMs());
        const hasMore = deleteOld(sql, rules, this.#options.nowMs());
        noteUse(sql, this.#options.nowMs());
        writers.reload();
        return hasMore;
      }),
    );
  }

  /** Throws everything away: the topics are read from their beginnings. */
  discard(why: string): void {
    this.#options.onDiscarded(why);
    this.#epoch += 1;
    this.#disk.discard(this.#opened.file);
    this.#opened = this.#open();
  }

  /** Safe to call again. */
  close(): void {
    if (this.#opened.file.database.isOpen)
      this.#use((opened) =>
        this.#inTransaction(opened, ({ flow, sql }) => flow.saveNames(sql, this.#options.nowMs())),
      );
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

  #inTransaction<R>(opened: Opened, work: (opened: Opened) => R): R {
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

  /** A damaged file shows when it is used: it is thrown away, and the work done on an empty one. */
  #use<R>(work: (opened: Opened) => R): R {
    try {
      return work(this.#opened);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.discard(messageOf(error));
      return work(this.#opened);
    }
  }
}
