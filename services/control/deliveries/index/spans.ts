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
export interface Span {
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

/** Looks at two rows of each step: SQLite would go through all of them for a `min` and a `max` together. */
function totalsSpan(sql: Statements): Span | undefined {
  const ends = (order: "ASC" | "DESC"): number[] =>
    Object.values(STEP_MS).flatMap((stepMs) =>
      sql
        .all(`SELECT minute_ms FROM totals WHERE step_ms = ? ORDER BY minute_ms ${order} LIMIT 1`, stepMs)
        .map((row) => Number(row["minute_ms"])),
    );
  const oldest = ends("ASC");
  return oldest.length === 0
    ? undefined
    : { oldestMs: Math.min(...oldest), newestMs: Math.max(...ends("DESC")) };
}
