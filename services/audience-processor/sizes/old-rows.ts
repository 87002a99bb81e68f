// Which rows of sizes go; pure.
import { UNITS_MS } from "#contract";
import { AUDIENCE_SIZES_KEPT_MS, audienceSizeKey } from "#topics";
import type { SizePlace } from "./known-rows.ts";

/** So many at a time; the next look finds the others. */
const MOST_AT_ONCE = 1_000;

/** Keys of rows that are older than they are kept, but for the newest, which says how many are in; and of what is gone. */
export function oldRows(rows: Iterable<SizePlace>, isGone: (id: string) => boolean, nowMs: number): string[] {
  const own = [...rows].filter(({ id }) => id !== "");
  const newest = new Map<string, number>();
  const placeOf = ({ id, partition }: SizePlace): string => `${id}:${partition}`;
  for (const row of own) newest.set(placeOf(row), Math.max(row.day, newest.get(placeOf(row)) ?? row.day));
  const firstDay = Math.floor((nowMs - AUDIENCE_SIZES_KEPT_MS) / UNITS_MS.d);
  const isOld = (row: SizePlace): boolean =>
    row.day < firstDay && row.day < (newest.get(placeOf(row)) ?? row.day);
  return own
    .filter((row) => isGone(row.id) || isOld(row))
    .slice(0, MOST_AT_ONCE)
    .map(audienceSizeKey);
}
