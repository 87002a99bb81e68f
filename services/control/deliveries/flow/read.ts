// Reads counts of a range, a stretch of time after the other.
import type { FlowQuery, FlowSum } from "../index/flow-table.ts";
import { nextTurn } from "../index/next-turn.ts";
import type { FlowParts } from "./parts.ts";

/** Some ten thousand rows of an installation with a hundred sources: a few milliseconds, in which nothing else runs. */
const STRETCH_MS = 6 * 3_600_000;

/** Each minute is read at one moment, so the counts of one add up. A step of several stretches has several sums. */
export async function readFlow({ deliveries, host }: FlowParts, query: FlowQuery): Promise<FlowSum[]> {
  const sums: FlowSum[] = [];
  for (let fromMs = query.fromMs; fromMs < query.toMs; fromMs += STRETCH_MS) {
    if (fromMs > query.fromMs) await nextTurn(host);
    const toMs = Math.min(fromMs + STRETCH_MS, query.toMs);
    sums.push(...deliveries.index.sumFlow({ ...query, fromMs, toMs }));
  }
  return sums;
}

const COUNTED = ["routedCalls", "deadLetters", "refusedCalls"] as const;

/** Up to when all is counted. Undefined while one is not read that far. */
export function countedUntilMs({
  deliveries: { progress },
}: Pick<FlowParts, "deliveries">): number | undefined {
  const untilMs = COUNTED.map((kind) => progress.indexedUntilMs(kind));
  const known = untilMs.filter((atMs) => atMs !== undefined);
  return known.length < untilMs.length ? undefined : Math.min(...known);
}
