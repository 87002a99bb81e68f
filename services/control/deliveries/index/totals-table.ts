import type { DeliveryTotal } from "#topics";
import type { Row, Statements } from "./sql.ts";

/** What all deliverers together did for one destination within one minute. */
export interface Minute {
  readonly minuteMs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly durationCounts: readonly number[];
}

/** True when the minute was not there yet. */
export function addTotal(sql: Statements, record: DeliveryTotal): boolean {
  const { destinationId, minuteMs } = record;
  const [row] = sql.all(
    "SELECT minute_ms, outcomes, durations FROM totals WHERE destination_id = ? AND minute_ms = ?",
    destinationId,
    minuteMs,
  );
  const sum = row === undefined ? record : add(minuteOf(row), record);
  sql.run(
    "INSERT OR REPLACE INTO totals (destination_id, minute_ms, outcomes, durations) VALUES (?, ?, ?, ?)",
    destinationId,
    minuteMs,
    JSON.stringify(sum.outcomes),
    JSON.stringify(sum.durationCounts),
  );
  return row === undefined;
}

export interface MinutesQuery {
  readonly destinationId: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Oldest first; minutes in which nothing ended are not there. */
export function listMinutes(sql: Statements, { destinationId, fromMs, toMs }: MinutesQuery): Minute[] {
  return sql
    .all(
      "SELECT minute_ms, outcomes, durations FROM totals WHERE destination_id = ? AND minute_ms >= ? AND minute_ms < ? ORDER BY minute_ms",
      destinationId,
      fromMs,
      toMs,
    )
    .map(minuteOf);
}

function minuteOf(row: Row): Minute {
  return {
    minuteMs: Number(row["minute_ms"]),
    outcomes: JSON.parse(String(row["outcomes"])) as Record<string, number>,
    durationCounts: JSON.parse(String(row["durations"])) as number[],
  };
}

type Counts = Pick<Minute, "outcomes" | "durationCounts">;

/** Outcome by outcome and bucket by bucket. */
export function add(one: Counts, other: Counts): Counts {
  const outcomes = { ...one.outcomes };
  for (const [outcome, count] of Object.entries(other.outcomes)) {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
  }
  const buckets = Math.max(one.durationCounts.length, other.durationCounts.length);
  const durationCounts = Array.from(
    { length: buckets },
    (_, bucket) => (one.durationCounts[bucket] ?? 0) + (other.durationCounts[bucket] ?? 0),
  );
  return { outcomes, durationCounts };
}
