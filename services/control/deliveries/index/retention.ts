import { placeOf, spotOf } from "../../records/places/places.ts";
import { STEP_MS } from "./eras.ts";
import type { Indexed } from "./indexed.ts";
import { deleteOldIssues } from "./issues-table.ts";
import { rollEarly, rollUp, type Table } from "./rolling.ts";
import { forgetWritten } from "./rollups-table.ts";
import type { Statements } from "./sql.ts";

export interface RetentionRules {
  /** How long what a topic holds is kept. */
  readonly keptMs: Readonly<Record<Indexed, number>>;
  /** Rows of each table; over it the oldest go. */
  readonly maxRows: number;
}

/** Nothing else runs during a deletion, so it takes small bites. */
const BITE_ROWS = 500;

/** Rows of a table that follows its topic's partitions. */
export interface PlacedTable {
  readonly name: "attempts" | "audit_entries" | "dead_letters" | "refused_calls" | "routed_calls";
  readonly time: "at_ms" | "dead_at_ms";
}

export const ATTEMPTS: PlacedTable = { name: "attempts", time: "at_ms" };
const AUDIT_ENTRIES: PlacedTable = { name: "audit_entries", time: "at_ms" };
export const DEAD_LETTERS: PlacedTable = { name: "dead_letters", time: "dead_at_ms" };
export const REFUSED_CALLS: PlacedTable = { name: "refused_calls", time: "at_ms" };
export const ROUTED_CALLS: PlacedTable = { name: "routed_calls", time: "at_ms" };

/** One bite of each table; true when there may be more to delete. */
export function deleteOld(sql: Statements, { keptMs, maxRows }: RetentionRules, nowMs: number): boolean {
  const deleted = [
    deletePlaced(sql, ATTEMPTS, { beforeMs: nowMs - keptMs.attempts, maxRows }),
    deletePlaced(sql, DEAD_LETTERS, { beforeMs: nowMs - keptMs.deadLetters, maxRows }),
    deletePlaced(sql, AUDIT_ENTRIES, { beforeMs: nowMs - keptMs.auditLog, maxRows }),
    deletePlaced(sql, REFUSED_CALLS, { beforeMs: nowMs - keptMs.refusedCalls, maxRows }),
    deletePlaced(sql, ROUTED_CALLS, { beforeMs: nowMs - keptMs.routedCalls, maxRows }),
    deleteSteps(sql, "totals", { beforeMs: nowMs - keptMs.dailyStats, maxRows, nowMs }),
    deleteSteps(sql, "flow", { beforeMs: nowMs - keptMs.dailyStats, maxRows, nowMs }),
    deleteSteps(sql, "names", { beforeMs: nowMs - keptMs.dailyStats, maxRows, nowMs }),
    deleteOldIssues(sql, nowMs - keptMs.deadLetters, BITE_ROWS),
  ];
  const isRolling = rollUp(sql, nowMs);
  forgetWritten(sql, nowMs);
  sql.run("DELETE FROM writers WHERE at_ms < ?", nowMs - Math.max(keptMs.attempts, keptMs.totals));
  return isRolling || deleted.some((count) => count >= BITE_ROWS);
}

interface Rule {
  readonly beforeMs: number;
  readonly maxRows: number;
}

function deletePlaced(sql: Statements, table: PlacedTable, { beforeMs, maxRows }: Rule): number {
  const { name, time } = table;
  let deleted = 0;
  for (const partition of partitionsOf(sql, table)) {
    const end = placeOf({ partition: partition + 1, offset: 0 });
    deleted += sql.run(
      `DELETE FROM ${name} WHERE place IN (SELECT place FROM ${name} WHERE place >= ? AND place < ? ORDER BY place LIMIT ?) AND ${time} < ?`,
      placeOf({ partition, offset: 0 }),
      end,
      BITE_ROWS,
      beforeMs,
    );
  }
  const tooMany = sql.number(`SELECT count(*) FROM ${name}`) - maxRows;
  return tooMany > 0 ? deleted + deleteOldest(sql, table, Math.min(tooMany, BITE_ROWS)) : deleted;
}

/** From the partition that goes back furthest. */
function deleteOldest(sql: Statements, table: PlacedTable, count: number): number {
  const { name, time } = table;
  const firsts = partitionsOf(sql, table).map((partition) => {
    const start = placeOf({ partition, offset: 0 });
    const atMs = sql.number(`SELECT ${time} FROM ${name} WHERE place >= ? ORDER BY place LIMIT 1`, start);
    return { start, end: placeOf({ partition: partition + 1, offset: 0 }), atMs };
  });
  const [oldest] = firsts.sort((one, other) => one.atMs - other.atMs);
  if (oldest === undefined) return 0;
  return sql.run(
    `DELETE FROM ${name} WHERE place IN (SELECT place FROM ${name} WHERE place >= ? AND place < ? ORDER BY place LIMIT ?)`,
    oldest.start,
    oldest.end,
    count,
  );
}

/** Found by jumping from each partition's first row to the next partition's. */
export function partitionsOf(sql: Statements, { name }: PlacedTable): number[] {
  const partitions: number[] = [];
  for (let from = 0; ; ) {
    const [row] = sql.all(`SELECT place FROM ${name} WHERE place >= ? ORDER BY place LIMIT 1`, from);
    if (row === undefined) return partitions;
    const { partition } = spotOf(Number(row["place"]));
    partitions.push(partition);
    from = placeOf({ partition: partition + 1, offset: 0 });
  }
}

/** Keys of the tables of sums. */
const STEP_KEYS: Readonly<Record<Table, string>> = {
  totals: "destination_id, minute_ms, step_ms, source_id, webhook_id",
  names: "source_id, destination_id, minute_ms, step_ms",
  flow: "source_id, minute_ms, type, stage, destination_id, reason, step_ms",
};

/** Over the bound minutes are rolled up early; where none is left, the oldest steps go. */
function deleteSteps(
  sql: Statements,
  table: Table,
  { beforeMs, maxRows, nowMs }: Rule & { readonly nowMs: number },
): number {
  const key = STEP_KEYS[table];
  const tooMany = sql.number(`SELECT count(*) FROM ${table}`) - maxRows;
  const old = `SELECT ${key} FROM ${table} WHERE step_ms IN (?, ?, ?) AND minute_ms < ? ORDER BY minute_ms LIMIT ?`;
  const bite = (before: number, limit: number): number =>
    sql.run(`DELETE FROM ${table} WHERE (${key}) IN (${old})`, ...Object.values(STEP_MS), before, limit);
  const deleted = bite(beforeMs, BITE_ROWS);
  if (tooMany <= 0) return deleted;
  if (rollEarly(sql, table, nowMs)) return BITE_ROWS;
  return deleted + bite(Number.MAX_SAFE_INTEGER, Math.min(tooMany, BITE_ROWS));
}
