// Statistics of requests from the sums of all deliverers (contract 10.5); pure.
import { durationPercentileMs } from "#contract";
import type { RequestCounts } from "../index/totals-table.ts";

interface Percentiles {
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

export interface Stats extends Percentiles {
  /** Requests by outcome. */
  readonly attempts: Readonly<Record<string, number>>;
  /** From acceptance to a success. */
  readonly latency: Percentiles;
}

export function statsOf({ outcomes, durationCounts, latencyCounts }: RequestCounts): Stats {
  return { attempts: outcomes, ...percentilesOf(durationCounts), latency: percentilesOf(latencyCounts) };
}

function percentilesOf(counts: readonly number[]): Percentiles {
  const percentileMs = (share: number): number | null => {
    const ms = durationPercentileMs(counts, share);
    return ms === undefined ? null : Math.round(ms * 10) / 10;
  };
  return { p50Ms: percentileMs(0.5), p95Ms: percentileMs(0.95), p99Ms: percentileMs(0.99) };
}
