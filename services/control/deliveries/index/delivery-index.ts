// What became of calls, where it can be looked up: attempts, totals per minute, dead letters and what the router says of calls, read from their topics into a file of
// this process. Offsets are kept in the transactions of the rows, so every record is in it once; what is lost is read again.
import type { CallUser } from "#contract";
import type { DeadLetter, DeliveryAttempt, DeliveryTotal, RefusedCalls, RoutedCall } from "#topics";
import type { Spot } from "../../records/places/places.ts";
import { type AttemptFilter, insertAttempt, type ListedAttempt, listAttempts } from "./attempts-table.ts";
import { CallEnds } from "./call-ends.ts";
import { INDEX_FILES, type IndexDatabase, type IndexDisk, isDamage, messageOf } from "./database.ts";
import {
  countDeadLetters,
  type DeadLetterFilter,
  findDeadLetter,
  insertDeadLetter,
  type ListedDeadLetter,
  listDeadLetters,
  replayablePlaces,
} from "./dead-letters-table.ts";
import { FlowCounts, type FlowQuery, type FlowSum, sumFlow } from "./flow-table.ts";
import type { Entry, Indexed, Stretch } from "./indexed.ts";
import { deleteOld, partitionsOf, type RetentionRules, ROUTED_CALLS } from "./retention.ts";
import {
  type CallOfSource,
  type CallsOfSource,
  eventOf,
  insertRoutedCall,
  type ListedRoutedCall,
  type LookAtRoutedCalls,
  type LookedAtRoutedCalls,
  listCallsOfSource,
  listRoutedCalls,
  lookAtRoutedCalls,
  type RoutedCallFilter,
  saidBefore,
} from "./routed-calls-table.ts";
import { type Spans, spansOf } from "./spans.ts";
import { type Page, Statements } from "./sql.ts";
import { addTotal, listMinutes, type Minute, type MinutesQuery } from "./totals-table.ts";
import { Writers } from "./writers.ts";

export interface DeliveryIndexOptions {
  readonly folder: string;
  readonly nowMs: () => number;
  /** The file was thrown away; everything is read from the topics again. */
  readonly onDiscarded: (why: string) => void;
  /** Files unless given. */
  readonly disk?: IndexDisk;
}

interface Opened {
  readonly file: IndexDatabase;
  readonly sql: Statements;
  readonly writers: Writers;
  readonly flow: FlowCounts;
  readonly callEnds: CallEnds;
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
      this.#inTransaction(opened, ({ callEnds, flow, sql, writers }) => {
        for (const entry of entries) this.#insert(kind, entry as Entry<Indexed>);
        flow.save(sql);
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

  listMinutes(query: MinutesQuery): Minute[] {
    return this.#use(({ sql }) => listMinutes(sql, query));
  }

  sumFlow(query: FlowQuery): FlowSum[] {
    return this.#use(({ sql }) => sumFlow(sql, query));
  }

  spans(): Spans {
    return this.#use(({ sql }) => spansOf(sql));
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

  /** Of calls that can be replayed, in the order of their places. */
  replayablePlaces(filter: DeadLetterFilter, after: { above: number; limit: number }): number[] {
    return this.#use(({ sql }) => replayablePlaces(sql, filter, after));
  }

  /** Deletes some of what is too old or too much; true when there may be more. */
  deleteOld(rules: RetentionRules): boolean {
    return this.#use((opened) =>
      this.#inTransaction(opened, ({ sql, writers }) => {
        const hasMore = deleteOld(sql, rules, this.#options.nowMs());
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

  close(): void {
    this.#disk.close(this.#opened.file);
  }

  #open(): Opened {
    const file = this.#disk.open(this.#options);
    const sql = new Statements(file.database);
    return { file, sql, writers: new Writers(sql), flow: new FlowCounts(), callEnds: new CallEnds(sql) };
  }

  #insert(kind: Indexed, entry: Entry<Indexed>): void {
    const { flow, sql, writers } = this.#opened;
    const { partition, record } = entry;
    switch (kind) {
      case "attempts":
        if (writers.isNew(kind, partition, record as DeliveryAttempt))
          insertAttempt(sql, record as DeliveryAttempt, entry);
        return;
      case "totals":
        if (writers.isNew(kind, partition, record as DeliveryTotal)) addTotal(sql, record as DeliveryTotal);
        return;
      case "deadLetters":
        if (insertDeadLetter(sql, record as DeadLetter, entry)) flow.dead(record as DeadLetter);
        return;
      case "routedCalls":
        countRoutedCall(this.#opened, record as RoutedCall, entry);
        return;
      case "refusedCalls":
        flow.refused(record as RefusedCalls);
        return;
    }
  }

  #inTransaction<R>(opened: Opened, work: (opened: Opened) => R): R {
    const { database } = opened.file;
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work(opened);
      database.exec("COMMIT");
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      opened.writers.reload();
      opened.flow.forget();
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

/** Of a call that was routed again only what was said last counts. */
function countRoutedCall({ callEnds, flow, sql }: Opened, record: RoutedCall, spot: Spot): void {
  const before = callEnds.isAhead(spot.partition, record) ? undefined : saidBefore(sql, record);
  if (!insertRoutedCall(sql, record, spot)) return;
  if (before !== undefined) flow.routed(before, -1);
  flow.routed(record, 1);
}
