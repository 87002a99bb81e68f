import type { RequestCounts } from "../index/totals-table.ts";
import type { ShownSum } from "./flow.ts";

/** Counts of one step and group. */
export interface StatsEntry {
  /** Start of the step. */
  readonly atMs: number;
  /** Undefined where nothing is grouped, null for what has no such thing. */
  readonly group: string | null | undefined;
  /** What has a group that is not named. */
  readonly isRest?: true;
  readonly sums: readonly ShownSum[];
  /** What waits is among the sums. */
  readonly isSettled: boolean;
  readonly requests: RequestCounts;
}
