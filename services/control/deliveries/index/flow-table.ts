// Where calls went, counted by the minute in which they were accepted: from what routers record of each call, from dead letters, and from what ingest tells of refused calls. The
// counts change in the transactions of the rows that they count, so they add up exactly.
import { isGivenBySync } from "#contract";
import type { DeadLetter, RefusedCalls, RoutedCall } from "#topics";
import { type Eras, floorTo, STEP_MS } from "./eras.ts";
import { eventIn } from "./event-in.ts";
import { type FlowCount, type FlowQuery, type FlowStage, whereOf } from "./flow-stages.ts";
import { NamesGathered } from "./names-gathered.ts";
import { isCountedName } from "./names-table.ts";
import type { Statements } from "./sql.ts";

const ROUTED = "routed";

type Routed = Pick<
  RoutedCall,
  "sourceId" | "type" | "event" | "receivedAtMs" | "outcome" | "destinationIds" | "passedOver"
>;

interface Alike {
  readonly record: Routed;
  calls: number;
  /** Of those, calls by the name of their event. */
  readonly names: Map<string, number>;
}

interface Counted {
  readonly count: FlowCount;
  readonly calls: number;
  readonly name?: string | undefined;
}

/** A call is compared with so many of its source's; beyond them one that is alike is written once more. */
const COMPARED = 8;

/**
 * Gathers what a transaction counts. Some hundred calls are mostly of one minute, and most of a source went the same way: comparing costs a
 * tenth of writing.
 */
export class FlowCounts {
  /** By source. */
  readonly #routed = new Map<string, Alike[]>();
  readonly #others: Counted[] = [];
  /** Names that the transaction counts. */
  readonly #counted: [of: FlowCount, callsByName: ReadonlyMap<string, number>][] = [];
  readonly #names = new NamesGathered();
  readonly #eras: Pick<Eras, "minutesFromMs">;

  /** What came before the minutes of these is in roll-ups. */
  constructor(eras: Pick<Eras, "minutesFromMs">) {
    this.#eras = eras;
  }

  /** `calls` is -1 to take back what was counted of a call that was routed again after a crash. */
  routed(record: Routed, calls: 1 | -1): void {
    if (record.receivedAtMs < this.#eras.minutesFromMs) return;
    const own = this.#routed.get(record.sourceId) ?? [];
    if (own.length === 0) this.#routed.set(record.sourceId, own);
    let alike = own.slice(-COMPARED).find((each) => isAlike(each.record, record));
    if (alike === undefined) {
      alike = { record, calls: 0, names: new Map() };
      own.push(alike);
    }
    alike.calls += calls;
    const { event } = record;
    if (isCountedName(event)) alike.names.set(event, (alike.names.get(event) ?? 0) + calls);
  }

  /** One that is not there yet. A replay's job, or a sync's, is no call that routers have sent, and a record that is no call has no source. */
  dead(record: DeadLetter): void {
    const { destinationId, reason, receivedAtMs, replayId, sourceId, type } = record;
    if (sourceId === null || receivedAtMs === null || type === null || replayId !== null) return;
    if (receivedAtMs < this.#eras.minutesFromMs || isOfSync(record)) return;
    const of = baseOf({ sourceId, type, receivedAtMs });
    const stage = destinationId === null ? "failed" : "dead";
    const count = { ...of, stage, destinationId: destinationId ?? "", reason } as const;
    this.#others.push({ count, calls: 1, name: type === "track" ? eventIn(record.body) : undefined });
  }

  /** By the minute in which they were told; their type is not known. `leftOut`: of versions before, calls that had no record of their own. */
  refused({ atMs, calls, code, leftOut, sourceId }: RefusedCalls): void {
    if (atMs < this.#eras.minutesFromMs) return;
    const of = baseOf({ sourceId, type: "", receivedAtMs: atMs });
    this.#others.push({ count: { ...of, stage: "refused", reason: code }, calls: calls + leftOut });
  }

  /** Within the transaction that the rows are written in. */
  save(sql: Statements, nowMs: number): void {
    if (this.#names.isDue(nowMs)) this.#names.save(sql, nowMs);
    for (const { calls, names: own, record } of [...this.#routed.values()].flat())
      for (const count of countsOf(record)) {
        if (calls !== 0) addCalls(sql, count, calls);
        if (own.size > 0) this.#counted.push([count, own]);
      }
    for (const { calls, count, name } of this.#others) {
      addCalls(sql, count, calls);
      if (isCountedName(name)) this.#counted.push([count, new Map([[name, calls]])]);
    }
    this.#routed.clear();
    this.#others.length = 0;
  }

  /** Within a transaction, so that they can be read. */
  saveNames(sql: Statements, nowMs: number): void {
    this.#names.save(sql, nowMs);
  }

  /** After a transaction. */
  committed(): void {
    this.#names.ended(true);
    for (const [count, callsByName] of this.#counted.splice(0)) this.#names.add(count, callsByName);
  }

  /** After a transaction that came to nothing. */
  forget(): void {
    this.#names.ended(false);
    this.#routed.clear();
    this.#others.length = 0;
    this.#counted.length = 0;
  }
}

/** One without a messageId, or whose record could not be worked on, has no job's id. */
function isOfSync({ anonymousId, destinationId, id, messageId, sourceId, userId }: DeadLetter): boolean {
  if (sourceId === null || messageId === null || destinationId === null || id.includes("-")) return false;
  return isGivenBySync(id, { sourceId, messageId, userId, anonymousId }, destinationId);
}

/** Whether two calls of a source count alike. */
function isAlike(one: Routed, other: Routed): boolean {
  return (
    one.type === other.type &&
    one.outcome === other.outcome &&
    minuteOf(one.receivedAtMs) === minuteOf(other.receivedAtMs) &&
    one.destinationIds.length === other.destinationIds.length &&
    one.passedOver.length === other.passedOver.length &&
    one.destinationIds.every((id, at) => id === other.destinationIds[at]) &&
    one.passedOver.every((each, at) => {
      const { destinationId, reason } = other.passedOver[at] ?? each;
      return each.destinationId === destinationId && each.reason === reason;
    })
  );
}

function minuteOf(atMs: number): number {
  return floorTo(atMs, STEP_MS.minute);
}

function countsOf(record: Routed): FlowCount[] {
  const { destinationIds, outcome, passedOver } = record;
  const of = baseOf(record);
  const isRouted = outcome === ROUTED;
  return [
    { ...of, stage: isRouted ? "routed" : "dropped", reason: isRouted ? "" : outcome },
    ...destinationIds.map((destinationId): FlowCount => ({ ...of, stage: "sent", destinationId })),
    ...passedOver.map((one): FlowCount => ({ ...of, stage: "passed_over", ...one })),
  ];
}

function addCalls(sql: Statements, count: FlowCount, calls: number): void {
  const { sourceId, minuteMs, type, stage, destinationId, reason } = count;
  sql.run(
    "INSERT INTO flow VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
    ...[sourceId, minuteMs, type, stage, destinationId, reason, STEP_MS.minute, calls],
  );
}

function baseOf({ sourceId, type, receivedAtMs }: Pick<Routed, "sourceId" | "type" | "receivedAtMs">) {
  return { sourceId, type, minuteMs: minuteOf(receivedAtMs), destinationId: "", reason: "" };
}

/** Calls of one step, type, stage and reason, of all sources and destinations that are meant. */
export interface FlowSum {
  /** Start of the step. */
  readonly atMs: number;
  readonly type: string;
  readonly stage: FlowStage;
  readonly reason: string;
  readonly calls: number;
}

/** Oldest first. */
export function sumFlow(sql: Statements, query: FlowQuery): FlowSum[] {
  const { where, values } = whereOf(query);
  const { stage = null } = query;
  return sql
    .all(
      `SELECT minute_ms - minute_ms % CAST(? AS INTEGER) AS at, type, stage, reason, sum(calls) AS calls FROM flow WHERE ${where} AND stage = ifnull(?, stage) GROUP BY at, type, stage, reason HAVING sum(calls) > 0 ORDER BY at, type`,
      ...[query.stepMs, ...values, stage],
    )
    .map((row) => ({
      atMs: Number(row["at"]),
      type: String(row["type"]),
      stage: String(row["stage"]) as FlowStage,
      reason: String(row["reason"]),
      calls: Number(row["calls"]),
    }));
}
