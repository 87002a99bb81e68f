// One file of the index: records of some topics, or of some partitions of one. Offsets are kept in the transactions of the rows, so every record is in it once; what is lost is read again.
import { listAttempts, listAttemptsOfIssue } from "./attempts-table.ts";
import { listAuditEntries } from "./audit-table.ts";
import { countCallsOfSource, countUpTo } from "./counts.ts";
import { countDeadLetters, findDeadLetter, listDeadLetters, replayablePlaces } from "./dead-letters-table.ts";
import { sumBetween } from "./flow-between.ts";
import type { FlowQuery } from "./flow-stages.ts";
import { sumFlow } from "./flow-table.ts";
import { IndexFile, type IndexFileOptions, noteUse } from "./index-file.ts";
import type { Entry, Indexed, Stretch } from "./indexed.ts";
import { findIssue, listIssues } from "./issues-table.ts";
import { type NameSum, sumNames } from "./names-table.ts";
import { insertRecord } from "./records.ts";
import { listRefused } from "./refused-calls-table.ts";
import { deleteOld, partitionsOf, type RetentionRules, ROUTED_CALLS } from "./retention.ts";
import { countsOfRollups, type DueKey, dueKeys, isNews, settleDue } from "./rollups-table.ts";
import { eventsOf, listCallsOfSource, lookAtRoutedCalls, routedCallRows } from "./routed-calls-table.ts";
import { type Spans, spansOf } from "./spans.ts";
import type { Statements } from "./sql.ts";
import { sumRequests } from "./totals-table.ts";

export class IndexPart {
  readonly #file: IndexFile;
  readonly #nowMs: () => number;
  /** Where the sweep of what is old stands. */
  #sweptTable = 0;

  readonly listAttempts = this.#reading(listAttempts);
  readonly sumRequests = this.#reading(sumRequests);
  readonly sumFlow = this.#reading(sumFlow);
  readonly listIssues = this.#reading(listIssues);
  readonly findIssue = this.#reading(findIssue);
  readonly listAuditEntries = this.#reading(listAuditEntries);
  readonly listDeadLetters = this.#reading(listDeadLetters);
  readonly routedCallRows = this.#reading(routedCallRows);
  readonly listCallsOfSource = this.#reading(listCallsOfSource);
  readonly listRefused = this.#reading(listRefused);
  readonly countDeadLetters = this.#reading(countDeadLetters);
  /** Of one minute, by its start. */
  readonly sumBetween = this.#reading(sumBetween);
  /** The last ones, newest first. */
  readonly listAttemptsOfIssue = this.#reading(listAttemptsOfIssue);
  readonly eventsOf = this.#reading(eventsOf);
  /** A few milliseconds for thousands of rows: nothing else runs meanwhile. */
  readonly lookAtRoutedCalls = this.#reading(lookAtRoutedCalls);
  /** `user`: whose call it is to be. */
  readonly findDeadLetter = this.#reading(findDeadLetter);
  /** Entries of a list, at most `most`: a few milliseconds for thousands. */
  readonly countUpTo = this.#reading(countUpTo);
  readonly countCallsOfSource = this.#reading(countCallsOfSource);
  readonly countsOfRollups = this.#reading(countsOfRollups);
  readonly isNews = this.#reading(isNews);
  /** Of calls that can be replayed, in the order of their places. */
  readonly replayablePlaces = this.#reading(replayablePlaces);

  constructor(options: IndexFileOptions) {
    this.#file = new IndexFile(options);
    this.#nowMs = options.nowMs;
  }

  #reading<A extends unknown[], R>(look: (sql: Statements, ...asked: A) => R): (...asked: A) => R {
    return (...asked) => this.#file.use(({ sql }) => look(sql, ...asked));
  }

  /** As that of `IndexFile`. */
  get epoch(): number {
    return this.#file.epoch;
  }

  /** As that of `IndexFile`. */
  get createdMs(): number {
    return this.#file.createdMs;
  }

  /** As that of `IndexFile`. */
  get path(): string {
    return this.#file.path;
  }

  /** As that of `IndexFile`. */
  begin(createdMs: number): void {
    this.#file.begin(createdMs);
  }

  /** Where reading goes on; undefined for a partition that was never read. */
  position(kind: Indexed, partition: number): number | undefined {
    return this.#file.use(({ sql }) => {
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
    this.#file.change((opened) => {
      if (epoch !== this.epoch) return;
      const { callEnds, flow, issues, sql, writers } = opened;
      for (const entry of entries) insertRecord(opened, kind, entry as Entry<Indexed>);
      flow.save(sql, this.#nowMs());
      issues.save(sql);
      callEnds.save();
      writers.save(this.#nowMs());
      sql.run("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", kind, partition, nextOffset);
    });
  }

  /** Whether anything is known of a destination, which may have been deleted since. */
  knowsDestination(id: string): boolean {
    const found = ["attempts", "totals", "dead_letters", "flow"].map(
      (table) => `EXISTS (SELECT 1 FROM ${table} WHERE destination_id = ?)`,
    );
    return this.#file.use(({ sql }) => sql.number(`SELECT ${found.join(" OR ")}`, id, id, id, id) > 0);
  }

  sumNames(query: FlowQuery): NameSum[] {
    return this.#file.change(({ flow, sql }) => {
      flow.saveNames(sql, this.#nowMs());
      return sumNames(sql, query);
    });
  }

  /** Roll-ups to which something has come that their topics may not have. */
  dueRollups(limit: number): DueKey[] {
    return this.#file.use(({ sql }) => dueKeys(sql, this.#nowMs(), limit));
  }

  /** Their topics have them. */
  settleRollups(due: readonly DueKey[]): void {
    this.#file.change(({ sql }) => {
      for (const each of due) settleDue(sql, each);
    });
  }

  spans(): Spans {
    return this.#file.use(({ sql }) => spansOf(sql));
  }

  /** Partitions that have recorded calls. */
  routedCallPartitions(): number[] {
    return this.#file.use(({ sql }) => partitionsOf(sql, ROUTED_CALLS));
  }

  /** Deletes some of what is too old or too much; true when there may be more. */
  deleteOld(rules: RetentionRules): boolean {
    const table = this.#sweptTable;
    if (table === 0) this.#file.checkClock();
    const next = this.#file.change(({ flow, sql, writers }) => {
      if (table === 0) flow.saveNames(sql, this.#nowMs());
      const goesOn = deleteOld(sql, rules, { nowMs: this.#nowMs(), table });
      if (goesOn !== undefined) return goesOn;
      noteUse(sql, this.#nowMs());
      writers.reload();
      return undefined;
    });
    this.#sweptTable = next ?? 0;
    return next !== undefined;
  }

  /** As that of `IndexFile`. */
  discard(why: string): void {
    this.#file.discard(why);
  }

  /** Safe to call again. */
  close(): void {
    this.#file.close(({ flow, sql }) => flow.saveNames(sql, this.#nowMs()));
  }
}
