// What became of calls, where it can be looked up: attempts, totals per minute, dead letters, what the router says of calls, and who changed what, read from their topics into a file of
// this process. Offsets are kept in the transactions of the rows, so every record is in it once; what is lost is read again.
import { listAttempts, listAttemptsOfIssue } from "./attempts-table.ts";
import { listAuditEntries } from "./audit-table.ts";
import { countUpTo } from "./counts.ts";
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
import { type DueRollup, dueRollups, settleDue } from "./rollups-table.ts";
import { eventOf, listCallsOfSource, listRoutedCalls, lookAtRoutedCalls } from "./routed-calls-table.ts";
import { type Spans, spansOf } from "./spans.ts";
import type { Statements } from "./sql.ts";
import { sumRequests } from "./totals-table.ts";

export class DeliveryIndex {
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
  readonly listRoutedCalls = this.#reading(listRoutedCalls);
  readonly listCallsOfSource = this.#reading(listCallsOfSource);
  readonly listRefused = this.#reading(listRefused);
  readonly countDeadLetters = this.#reading(countDeadLetters);
  /** Of one minute, by its start. */
  readonly sumBetween = this.#reading(sumBetween);
  /** The last ones, newest first. */
  readonly listAttemptsOfIssue = this.#reading(listAttemptsOfIssue);
  /** The name of a track call, where it is recorded. */
  readonly eventOf = this.#reading(eventOf);
  /** A few milliseconds for thousands of rows: nothing else runs meanwhile. */
  readonly lookAtRoutedCalls = this.#reading(lookAtRoutedCalls);
  /** `user`: whose call it is to be. */
  readonly findDeadLetter = this.#reading(findDeadLetter);
  /** Entries of a list, at most `most`: a few milliseconds for thousands. */
  readonly countUpTo = this.#reading(countUpTo);
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

  /** Roll-ups that their topics do not have yet, or did not have when the index looked. */
  dueRollups(limit: number): DueRollup[] {
    return this.#file.use(({ sql }) => dueRollups(sql, this.#nowMs(), limit));
  }

  /** Their topics have them. */
  settleRollups(due: readonly DueRollup[]): void {
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
