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
import { type Counted, countUpTo } from "./counts.ts";
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
import { type FlowSum, sumFlow } from "./flow-table.ts";
import { IndexFile, type IndexFileOptions, noteUse } from "./index-file.ts";
import type { Entry, Indexed, Stretch } from "./indexed.ts";
import { findIssue, type Issue, type IssueFilter, listIssues } from "./issues-table.ts";
import { type NameSum, sumNames } from "./names-table.ts";
import { insertRecord } from "./records.ts";
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
import type { Page } from "./sql.ts";
import { type RequestSum, sumRequests } from "./totals-table.ts";

export class DeliveryIndex {
  readonly #file: IndexFile;
  readonly #nowMs: () => number;
  /** Where the sweep of what is old stands. */
  #sweptTable = 0;

  constructor(options: IndexFileOptions) {
    this.#file = new IndexFile(options);
    this.#nowMs = options.nowMs;
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

  listAttempts(filter: AttemptFilter, page: Page): ListedAttempt[] {
    return this.#file.use(({ sql }) => listAttempts(sql, filter, page));
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

  sumRequests(query: FlowQuery): RequestSum[] {
    return this.#file.use(({ sql }) => sumRequests(sql, query));
  }

  sumFlow(query: FlowQuery): FlowSum[] {
    return this.#file.use(({ sql }) => sumFlow(sql, query));
  }

  /** Of one minute, by its start. */
  sumBetween(minuteMs: number): FlowBetween[] {
    return this.#file.use(({ sql }) => sumBetween(sql, minuteMs));
  }

  listIssues(filter: IssueFilter, page: Page): Issue[] {
    return this.#file.use(({ sql }) => listIssues(sql, filter, page));
  }

  findIssue(id: string): Issue | undefined {
    return this.#file.use(({ sql }) => findIssue(sql, id));
  }

  /** The last ones, newest first. */
  listAttemptsOfIssue(issue: Issue, limit: number): ListedAttempt[] {
    return this.#file.use(({ sql }) => listAttemptsOfIssue(sql, issue, limit));
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

  listAuditEntries(filter: AuditFilter, page: Page): AuditNote[] {
    return this.#file.use(({ sql }) => listAuditEntries(sql, filter, page));
  }

  listDeadLetters(filter: DeadLetterFilter, page: Page): ListedDeadLetter[] {
    return this.#file.use(({ sql }) => listDeadLetters(sql, filter, page));
  }

  listRoutedCalls(filter: RoutedCallFilter, limit: number): ListedRoutedCall[] {
    return this.#file.use(({ sql }) => listRoutedCalls(sql, filter, limit));
  }

  listCallsOfSource(filter: CallsOfSource, page: Page): CallOfSource[] {
    return this.#file.use(({ sql }) => listCallsOfSource(sql, filter, page));
  }

  listRefused(filter: RefusedFilter, page: Page): ListedRefused[] {
    return this.#file.use(({ sql }) => listRefused(sql, filter, page));
  }

  /** The name of a track call, where it is recorded. */
  eventOf(call: Required<RoutedCallFilter>): string | null {
    return this.#file.use(({ sql }) => eventOf(sql, call));
  }

  /** Partitions that have recorded calls. */
  routedCallPartitions(): number[] {
    return this.#file.use(({ sql }) => partitionsOf(sql, ROUTED_CALLS));
  }

  /** A few milliseconds for thousands of rows: nothing else runs meanwhile. */
  lookAtRoutedCalls(look: LookAtRoutedCalls): LookedAtRoutedCalls {
    return this.#file.use(({ sql }) => lookAtRoutedCalls(sql, look));
  }

  /** `user`: whose call it is to be. */
  findDeadLetter(id: string, user?: CallUser): ListedDeadLetter | undefined {
    return this.#file.use(({ sql }) => findDeadLetter(sql, id, user));
  }

  countDeadLetters(filter: DeadLetterFilter): number {
    return this.#file.use(({ sql }) => countDeadLetters(sql, filter));
  }

  /** Entries of a list, at most `most`: a few milliseconds for thousands. */
  countUpTo(counted: Counted, most: number): number {
    return this.#file.use(({ sql }) => countUpTo(sql, counted, most));
  }

  /** Of calls that can be replayed, in the order of their places. */
  replayablePlaces(filter: DeadLetterFilter, after: { above: number; limit: number }): number[] {
    return this.#file.use(({ sql }) => replayablePlaces(sql, filter, after));
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
