// What became of calls, as it is counted and asked for.
import { STEP_MS } from "./eras.ts";

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

export interface FlowQuery {
  readonly sourceId?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whole minutes. */
  readonly stepMs: number;
  /** Of this stage alone. */
  readonly stage?: FlowStage | undefined;
}

/** The condition of its rows, in each table of steps: by one of their indexes, whichever thing is asked for. */
export function whereOf({ destinationId, fromMs, sourceId, toMs }: Omit<FlowQuery, "stage">) {
  const [of, values] =
    destinationId !== undefined
      ? ["destination_id = ?", [destinationId]]
      : sourceId !== undefined
        ? ["source_id = ?", [sourceId]]
        : ["step_ms IN (?, ?, ?)", Object.values(STEP_MS)];
  return { where: `${of} AND minute_ms >= ? AND minute_ms < ?`, values: [...values, fromMs, toMs] };
}
