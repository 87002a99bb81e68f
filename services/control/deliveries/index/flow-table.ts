// Where calls went, counted by the minute in which they were accepted: from what routers record of each call, from dead letters, and from what ingest tells of refused calls. The
// counts change in the transactions of the rows that they count, so they add up exactly.
import type { DeadLetter, RefusedCalls, RoutedCall } from "#topics";
import type { Statements } from "./sql.ts";

/** What became of calls: the first four of a call, which is in exactly one of them; the others of a call at one destination. */
export type FlowStage = "refused" | "routed" | "dropped" | "failed" | "sent" | "passed_over" | "dead";

/** One count; of a stage of the call itself the destination is empty, where there is no reason the reason is. */
export interface FlowCount {
  readonly sourceId: string;
  readonly minuteMs: number;
  readonly type: string;
  readonly stage: FlowStage;
  readonly destinationId: string;
  readonly reason: string;
}

const MINUTE_MS = 60_000;
const ROUTED = "routed";

type Routed = Pick<
  RoutedCall,
  "sourceId" | "type" | "receivedAtMs" | "outcome" | "destinationIds" | "passedOver"
>;

interface Alike {
  readonly record: Routed;
  calls: number;
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
  readonly #others: { readonly count: FlowCount; readonly calls: number }[] = [];

  /** `calls` is -1 to take back what was counted of a call that was routed again after a crash. */
  routed(record: Routed, calls: 1 | -1): void {
    const own = this.#routed.get(record.sourceId);
    if (own === undefined) {
      this.#routed.set(record.sourceId, [{ record, calls }]);
      return;
    }
    const known = own.slice(-COMPARED).find((each) => isAlike(each.record, record));
    if (known === undefined) own.push({ record, calls });
    else known.calls += calls;
  }

  /** One that is not there yet. A replay's job is no call that was accepted, and a record that is no call has no source. */
  dead(record: DeadLetter): void {
    const { destinationId, reason, receivedAtMs, replayId, sourceId, type } = record;
    if (sourceId === null || receivedAtMs === null || type === null || replayId !== null) return;
    const of = baseOf({ sourceId, type, receivedAtMs });
    const stage = destinationId === null ? "failed" : "dead";
    this.#others.push({ count: { ...of, stage, destinationId: destinationId ?? "", reason }, calls: 1 });
  }

  /** By the minute in which they were told; their type is not known. `leftOut`: of versions before, calls that had no record of their own. */
  refused({ atMs, calls, code, leftOut, sourceId }: RefusedCalls): void {
    const of = baseOf({ sourceId, type: "", receivedAtMs: atMs });
    this.#others.push({ count: { ...of, stage: "refused", reason: code }, calls: calls + leftOut });
  }

  /** Within the transaction that the rows are written in. */
  save(sql: Statements): void {
    for (const { calls, record } of [...this.#routed.values()].flat())
      if (calls !== 0) for (const count of countsOf(record)) addCalls(sql, count, calls);
    for (const { calls, count } of this.#others) addCalls(sql, count, calls);
    this.forget();
  }

  /** After a transaction that came to nothing. */
  forget(): void {
    this.#routed.clear();
    this.#others.length = 0;
  }
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
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
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
    "INSERT INTO flow VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls",
    ...[sourceId, minuteMs, type, stage, destinationId, reason, calls],
  );
}

function baseOf({ sourceId, type, receivedAtMs }: Pick<Routed, "sourceId" | "type" | "receivedAtMs">) {
  return { sourceId, type, minuteMs: minuteOf(receivedAtMs), destinationId: "", reason: "" };
}

export interface FlowQuery {
  readonly sourceId?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whole minutes. */
  readonly stepMs: number;
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
  const { destinationId, fromMs, sourceId, stepMs, toMs } = query;
  const [where, values] =
    destinationId !== undefined
      ? ["destination_id = ? AND", [destinationId]]
      : sourceId !== undefined
        ? ["source_id = ? AND", [sourceId]]
        : ["", []];
  return sql
    .all(
      `SELECT minute_ms - minute_ms % CAST(? AS INTEGER) AS at, type, stage, reason, sum(calls) AS calls FROM flow WHERE ${where} minute_ms >= ? AND minute_ms < ? GROUP BY at, type, stage, reason HAVING sum(calls) > 0 ORDER BY at, type`,
      ...[stepMs, ...values, fromMs, toMs],
    )
    .map((row) => ({
      atMs: Number(row["at"]),
      type: String(row["type"]),
      stage: String(row["stage"]) as FlowStage,
      reason: String(row["reason"]),
      calls: Number(row["calls"]),
    }));
}
