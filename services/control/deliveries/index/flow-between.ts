// Calls of the last minutes between sources and destinations.
import { STEP_MS } from "./eras.ts";
import type { FlowStage } from "./flow-stages.ts";
import type { Statements } from "./sql.ts";

/** Calls of one stage: of a stage of the call itself the destination is empty. */
export interface FlowBetween {
  readonly sourceId: string;
  readonly destinationId: string;
  readonly stage: FlowStage;
  readonly calls: number;
}

/** Of one minute, by its start. */
export function sumBetween(sql: Statements, minuteMs: number): FlowBetween[] {
  const text =
    "SELECT source_id, destination_id, stage, sum(calls) AS calls FROM flow WHERE step_ms = ? AND minute_ms = ? GROUP BY source_id, destination_id, stage HAVING sum(calls) > 0";
  return sql.all(text, STEP_MS.minute, minuteMs).map((row) => ({
    sourceId: String(row["source_id"]),
    destinationId: String(row["destination_id"]),
    stage: String(row["stage"]) as FlowStage,
    calls: Number(row["calls"]),
  }));
}
