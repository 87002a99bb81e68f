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
  /** Files that recorded calls are shared among: each has its part of their rows. 1 unless given. */
  readonly shares?: number | undefined;
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

/** Takes one bite; true when there may be more to take. */
type Bite = (sql: Statements, rules: RetentionRules, nowMs: number) => boolean;

const placedBite =
  (table: PlacedTable, kind: Indexed): Bite =>
  (sql, { keptMs, maxRows, shares = 1 }, nowMs) => {
    const own = table === ROUTED_CALLS ? Math.ceil(maxRows / shares) : maxRows;
    return deletePlaced(sql, table, { beforeMs: nowMs - keptMs[kind], maxRows: own }) >= BITE_ROWS;
  };

const stepsBite =
  (table: Table): Bite =>
  (sql, { keptMs, maxRows }, nowMs) =>
    deleteSteps(sql, table, { beforeMs: nowMs - keptMs.dailyStats, maxRows, nowMs }) >= BITE_ROWS;

/** One after the other: what a bite of one table costs does not grow with the others. */
const BITES: readonly Bite[] = [
  placedBite(ATTEMPTS, "attempts"),
  placedBite(DEAD_LETTERS, "deadLetters"),
  placedBite(AUDIT_ENTRIES, "auditLog"),
  placedBite(REFUSED_CALLS, "refusedCalls"),
  placedBite(ROUTED_CALLS, "routedCalls"),
  stepsBite("totals"),
  stepsBite("flow"),
  stepsBite("names"),
  (sql, { keptMs }, nowMs) => deleteOldIssues(sql, nowMs - keptMs.deadLetters, BITE_ROWS) >= BITE_ROWS,
  (sql, _, nowMs) => rollUp(sql, nowMs),
  (sql, { keptMs }, nowMs) => {
    forgetWritten(sql, nowMs);
    sql.run("DELETE FROM writers WHERE at_ms < ?", nowMs - Math.max(keptMs.attempts, keptMs.totals));
    return false;
  },
];

/** Takes one bite. `table` is where the sweep stands, 0 at its beginning. Returns where it goes on; undefined at its end. */
export function deleteOld(
  sql: Statements,
  rules: RetentionRules,
  { nowMs, table }: { readonly nowMs: number; readonly table: number },
): number | undefined {
  if (BITES[table]?.(sql, rules, nowMs)) return table;
  return table + 1 < BITES.length ? table + 1 : undefined;
}

interface Rule {
  readonly beforeMs: number;
  readonly maxRows: number;
}

function deletePlaced(sql: Statements, table: PlacedTable, { beforeMs, maxRows }: Rule): number {
  let deleted = 0;
  for (const first of firstsOf(sql, table)) {
    // Records of a partition are nearly in order: behind one that is kept hardly one is old.
    if (first.atMs >= beforeMs) continue;
    deleted += deleteFirst(sql, table, { first, beforeMs, most: BITE_ROWS - deleted });
    if (deleted >= BITE_ROWS) return deleted;
  }
  const tooMany = Math.min(sql.rowsIn(table.name) - maxRows, BITE_ROWS);
  if (tooMany <= 0) return deleted;
  const [oldest] = firstsOf(sql, table).sort((one, other) => one.atMs - other.atMs);
  if (oldest === undefined) return deleted;
  const any = { first: oldest, beforeMs: Number.MAX_SAFE_INTEGER, most: tooMany };
  return deleted + deleteFirst(sql, table, any);
}

/** Where the rows of a partition begin, and when the first of them happened. */
interface First {
  readonly partition: number;
  readonly atMs: number;
}

interface FirstRows {
  readonly first: First;
  readonly beforeMs: number;
  readonly most: number;
}

/** Of the first rows of a partition those that are old enough. */
function deleteFirst(
  sql: Statements,
  { name, time }: PlacedTable,
  { first: { partition }, beforeMs, most }: FirstRows,
): number {
  return sql.run(
    `DELETE FROM ${name} WHERE place IN (SELECT place FROM ${name} WHERE place >= ? AND place < ? ORDER BY place LIMIT ?) AND ${time} < ?`,
    placeOf({ partition, offset: 0 }),
    placeOf({ partition: partition + 1, offset: 0 }),
    most,
    beforeMs,
  );
}

/** Of each partition that has rows. Found by jumping from each partition's first row to the next partition's. */
function firstsOf(sql: Statements, { name, time }: PlacedTable): First[] {
  const firsts: First[] = [];
  for (let from = 0; ; ) {
    const [row] = sql.all(
      `SELECT place, ${time} AS at FROM ${name} WHERE place >= ? ORDER BY place LIMIT 1`,
      from,
    );
    if (row === undefined) return firsts;
    const { partition } = spotOf(Number(row["place"]));
    firsts.push({ partition, atMs: Number(row["at"]) });
    from = placeOf({ partition: partition + 1, offset: 0 });
  }
}

/** Partitions that have rows. */
export const partitionsOf = (sql: Statements, table: PlacedTable): number[] =>
  firstsOf(sql, table).map(({ partition }) => partition);

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
  const tooMany = sql.rowsIn(table) - maxRows;
  const old = `SELECT ${key} FROM ${table} WHERE step_ms IN (?, ?, ?) AND minute_ms < ? ORDER BY minute_ms LIMIT ?`;
  const bite = (before: number, limit: number): number =>
    sql.run(`DELETE FROM ${table} WHERE (${key}) IN (${old})`, ...Object.values(STEP_MS), before, limit);
  const deleted = bite(beforeMs, BITE_ROWS);
  if (tooMany <= 0) return deleted;
  if (rollEarly(sql, table, nowMs)) return BITE_ROWS;
  return deleted + bite(Number.MAX_SAFE_INTEGER, Math.min(tooMany, BITE_ROWS));
}
