// Statistics from the sums of all deliverers (contract 10.5); pure.
import { durationPercentileMs } from "#contract";
import type { Minute } from "../index/totals-table.ts";

export interface Stats {
  /** Requests by outcome. */
  readonly attempts: Readonly<Record<string, number>>;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export function statsOf({ outcomes, durationCounts }: Pick<Minute, "outcomes" | "durationCounts">): Stats {
  const percentileMs = (share: number): number | null => {
    const durationMs = durationPercentileMs(durationCounts, share);
    return durationMs === undefined ? null : Math.round(durationMs * 10) / 10;
  };
  return {
    attempts: outcomes,
    p50Ms: percentileMs(0.5),
    p95Ms: percentileMs(0.95),
    p99Ms: percentileMs(0.99),
  };
}
