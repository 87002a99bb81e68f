// Reads counts of a range, a stretch of time after the other.

import { nextTurn } from "../../http/next-turn.ts";
import { floorTo, STEP_KEPT_MS, STEP_MS } from "../index/eras.ts";
import type { FlowQuery } from "../index/flow-stages.ts";
import type { RequestSum } from "../index/totals-table.ts";
import type { Counts, GroupBy } from "./entries.ts";
import type { FlowParts } from "./parts.ts";
import { readSettled, waitingSums } from "./settled.ts";

const { day: DAY_MS, hour: HOUR_MS } = STEP_MS;

/** Some ten thousand rows of an installation with a hundred sources: some milliseconds, in which nothing else runs. */
const STRETCH_MS = { minutes: HOUR_MS / 2, hours: DAY_MS, days: 30 * DAY_MS };

interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Each stretch is read at one moment, so the counts of a minute add up. A step of several stretches has several sums. */
export async function readCounts(
  parts: FlowParts,
  { groupBy, ...query }: FlowQuery & { readonly groupBy?: GroupBy | undefined },
): Promise<Counts> {
  const { index } = parts.deliveries;
  const names =
    groupBy === "eventName"
      ? await inStretches(parts, query, (range) => index.sumNames({ ...query, ...range }))
      : [];
  const requests: RequestSum[] = [];
  const { sums, waiting } = await readSettled(parts, {
    async read() {
      const read = await inStretches(parts, query, (range) => {
        requests.push(...index.sumRequests({ ...query, ...range }));
        return index.sumFlow({ ...query, ...range });
      });
      return read.flat();
    },
    readDead: async () => {
      const dead = { ...query, stage: "dead" } as const;
      return (await inStretches(parts, query, (range) => index.sumFlow({ ...dead, ...range }))).flat();
    },
  });
  return { names: names.flat(), sums, requests, waiting: waiting && waitingSums({ sums, waiting }, query) };
}

/** What `read` finds in the range, a stretch of time after the other: of hours a longer one than of minutes, as they are fewer. */
async function inStretches<T>(
  { host, nowMs }: Pick<FlowParts, "host" | "nowMs">,
  { fromMs, toMs }: Range,
  read: (range: Range) => Promise<T>,
): Promise<T[]> {
  const found: T[] = [];
  const atMs = nowMs();
  for (let beginMs = fromMs; beginMs < toMs; ) {
    if (beginMs > fromMs) await nextTurn(host);
    const endMs = Math.min(endOfStretch(beginMs, atMs), toMs);
    found.push(await read({ fromMs: beginMs, toMs: endMs }));
    beginMs = endMs;
  }
  return found;
}

/** Where minutes are kept, or hours, a stretch of the rougher steps ends. */
function endOfStretch(beginMs: number, nowMs: number): number {
  const minutesFromMs = nowMs - STEP_KEPT_MS.minute;
  const hoursFromMs = nowMs - STEP_KEPT_MS.hour;
  if (beginMs >= minutesFromMs) return beginMs + STRETCH_MS.minutes;
  if (beginMs >= hoursFromMs)
    return Math.min(beginMs + STRETCH_MS.hours, floorTo(minutesFromMs, HOUR_MS) + HOUR_MS);
  return Math.min(beginMs + STRETCH_MS.days, floorTo(hoursFromMs, DAY_MS) + DAY_MS);
}

const COUNTED = ["routedCalls", "deadLetters", "refusedCalls"] as const;

/** Up to when all is counted. Undefined while one is not read that far. */
export function countedUntilMs({
  deliveries: { progress },
}: {
  readonly deliveries: Pick<FlowParts["deliveries"], "progress">;
}): number | undefined {
  const untilMs = COUNTED.map((kind) => progress.indexedUntilMs(kind));
  const known = untilMs.filter((atMs) => atMs !== undefined);
  return known.length < untilMs.length ? undefined : Math.min(...known);
}
