import { passedBy } from "./passed.ts";
import type { Story, Written } from "./story.ts";

/**
 * By topic, partition and offset: when a commit first passed it, or said that it is done beyond; one that its group did not lose again, unless
 * `countsLost`.
 */
export function commitTimes(
  { happenings }: Story,
  { countsLost = false }: { readonly countsLost?: boolean } = {},
): (written: Pick<Written<unknown>, "record">) => number {
  const times = new Map<string, Map<number, number>>();
  const reached = new Map<string, number>();
  for (const happening of happenings) {
    if (happening.kind !== "committed" && happening.kind !== "commits_lost") continue;
    const { topic, partition } = happening.partition;
    const key = `${topic} ${partition}`;
    const ofPartition = times.get(key) ?? new Map<number, number>();
    times.set(key, ofPartition);
    if (happening.kind === "commits_lost") {
      if (countsLost) continue;
      for (const offset of ofPartition.keys()) if (offset >= happening.offset) ofPartition.delete(offset);
      reached.set(key, Math.max(0, happening.offset));
      continue;
    }
    for (const offset of passedBy(happening, reached.get(key) ?? 0))
      if (!ofPartition.has(offset)) ofPartition.set(offset, happening.atMs);
    reached.set(key, Math.max(reached.get(key) ?? 0, happening.offset));
  }
  return ({ record }) =>
    times.get(`${record.topic} ${record.partition}`)?.get(record.offset) ?? Number.POSITIVE_INFINITY;
}
