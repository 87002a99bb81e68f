// Requests by outcome, status and duration, and deliveries by latency: of a destination's webhook and a source's calls, within one step.
import type { DeliveryTotal, RequestCount } from "#topics";
import { webhookId } from "../../http/webhook-fields.ts";
import { floorTo, STEP_MS } from "./eras.ts";
import { type FlowQuery, whereOf } from "./flow-stages.ts";
import type { Row, Statements } from "./sql.ts";

export type RequestCounts = Readonly<Omit<RequestCount, "webhookId">>;

export const NO_REQUESTS: RequestCounts = {
  outcomes: {},
  durationCounts: [],
  statuses: {},
  latencyCounts: [],
};

export interface RequestsKey {
  readonly destinationId: string;
  readonly sourceId: string;
  /** Empty where no webhook was asked, or it is not known which. */
  readonly webhookId: string;
  readonly minuteMs: number;
  readonly stepMs: number;
}

/** The counts of a deliverer. */
export function addTotal(sql: Statements, record: DeliveryTotal): void {
  const { destinationId, durationCounts, latencyCounts, minuteMs, outcomes, sourceId, statuses, url } =
    record;
  const of = { webhookId: url === "" ? "" : webhookId(destinationId, url), stepMs: STEP_MS.minute };
  const counts = { outcomes, durationCounts, statuses, latencyCounts };
  addRequests(sql, { destinationId, sourceId, minuteMs, ...of }, counts);
}

const KEY = "destination_id = ? AND minute_ms = ? AND step_ms = ? AND source_id = ? AND webhook_id = ?";

export function addRequests(sql: Statements, key: RequestsKey, counts: RequestCounts): void {
  const { destinationId, minuteMs, sourceId, stepMs, webhookId: id } = key;
  const values = [destinationId, minuteMs, stepMs, sourceId, id];
  const [row] = sql.all(`SELECT counts FROM totals WHERE ${KEY}`, ...values);
  const sum = row === undefined ? counts : add(countsOf(row), counts);
  sql.run("INSERT OR REPLACE INTO totals VALUES (?, ?, ?, ?, ?, ?)", ...values, JSON.stringify(sum));
}

/** Requests of one step and webhook, of all sources and destinations that are meant. */
export interface RequestSum {
  /** Start of the step. */
  readonly atMs: number;
  readonly webhookId: string;
  readonly counts: RequestCounts;
}

/** Oldest first; steps in which nothing ended are not there. */
export function sumRequests(sql: Statements, query: FlowQuery): RequestSum[] {
  const sums = new Map<string, RequestSum>();
  for (const row of rowsOf(sql, query)) {
    const atMs = floorTo(Number(row["minute_ms"]), query.stepMs);
    const id = String(row["webhook_id"]);
    const key = `${atMs} ${id}`;
    const known = sums.get(key);
    const counts = known === undefined ? countsOf(row) : add(known.counts, countsOf(row));
    sums.set(key, { atMs, webhookId: id, counts });
  }
  return [...sums.values()];
}

function rowsOf(sql: Statements, query: FlowQuery): Row[] {
  const { where, values } = whereOf(query);
  return sql.all(
    `SELECT minute_ms, webhook_id, counts FROM totals WHERE ${where} ORDER BY minute_ms`,
    ...values,
  );
}

export function countsOf(row: Row): RequestCounts {
  return JSON.parse(String(row["counts"])) as RequestCounts;
}

/** Name by name and bucket by bucket. */
export function add(one: RequestCounts, other: RequestCounts): RequestCounts {
  return {
    outcomes: addNamed(one.outcomes, other.outcomes),
    durationCounts: addBuckets(one.durationCounts, other.durationCounts),
    statuses: addNamed(one.statuses, other.statuses),
    latencyCounts: addBuckets(one.latencyCounts, other.latencyCounts),
  };
}

type Named = Readonly<Record<string, number>>;

function addNamed(one: Named, other: Named): Record<string, number> {
  const sum = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

function addBuckets(one: readonly number[], other: readonly number[]): number[] {
  const sum = one.length >= other.length ? [...one] : [...other];
  const shorter = one.length >= other.length ? other : one;
  for (const [bucket, count] of shorter.entries()) sum[bucket] = (sum[bucket] ?? 0) + count;
  return sum;
}
