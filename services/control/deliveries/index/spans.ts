// From when on each table of the index has rows, and until when.

import { placeOf } from "../../records/places/places.ts";
import { STEP_MS } from "./eras.ts";
import type { Indexed } from "./indexed.ts";
import {
  ATTEMPTS,
  DEAD_LETTERS,
  type PlacedTable,
  partitionsOf,
  REFUSED_CALLS,
  ROUTED_CALLS,
} from "./retention.ts";
import type { Statements } from "./sql.ts";

/** Times of the first and the last row of partitions, Unix ms. */
interface Span {
  readonly oldestMs: number;
  readonly newestMs: number;
}

/** Undefined for a table without rows. What is only counted has none of its own. */
export type Spans = Readonly<
  Record<Exclude<Indexed, "hourlyStats" | "dailyStats" | "auditLog">, Span | undefined>
>;

/** Looks at two rows of each partition. */
export function spansOf(sql: Statements): Spans {
  return {
    attempts: placedSpan(sql, ATTEMPTS),
    deadLetters: placedSpan(sql, DEAD_LETTERS),
    refusedCalls: placedSpan(sql, REFUSED_CALLS),
    routedCalls: placedSpan(sql, ROUTED_CALLS),
    totals: totalsSpan(sql),
  };
}

function placedSpan(sql: Statements, table: PlacedTable): Span | undefined {
  const { name, time } = table;
  const timeOf = (partition: number, order: "ASC" | "DESC"): number =>
    sql.number(
      `SELECT ${time} FROM ${name} WHERE place >= ? AND place < ? ORDER BY place ${order} LIMIT 1`,
      placeOf({ partition, offset: 0 }),
      placeOf({ partition: partition + 1, offset: 0 }),
    );
  const partitions = partitionsOf(sql, table);
  if (partitions.length === 0) return undefined;
  return {
    oldestMs: Math.min(...partitions.map((partition) => timeOf(partition, "ASC"))),
    newestMs: Math.max(...partitions.map((partition) => timeOf(partition, "DESC"))),
  };
}

function totalsSpan(sql: Statements): Span | undefined {
  const [row] = sql.all(
    "SELECT min(minute_ms) AS oldest, max(minute_ms) AS newest FROM totals WHERE step_ms IN (?, ?, ?)",
    ...Object.values(STEP_MS),
  );
  if (row === undefined || row["oldest"] === null) return undefined;
  return { oldestMs: Number(row["oldest"]), newestMs: Number(row["newest"]) };
}
