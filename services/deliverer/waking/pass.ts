// One look through the waiting jobs for those of endpoints that are back. They go through the same step as any job, ahead
// of their due time, as fast as their endpoint has room.
//
// The process may die between any two lines. A job's record stays in the retry topic, and its reader comes to it in due
// time, unless a cursor says that it was taken care of; a cursor is written only over jobs whose outcome is durable.
// What was delivered since the last cursor is delivered once more, with its messageId (contract 1.7). While the pass and
// the topic's reader are in one process, the reader's copy of a job in hand is a double and ends with it (RecentJobs).

import type { PartitionOffsets } from "#kafka";
import { PartitionPass } from "./partition-pass.ts";
import { type Endpoints, type Look, type PassParts, type PassResult, REQUESTED } from "./parts.ts";

/** Wakes what waits for `endpoints`. Ends when every outcome is durable and the cursors are written. */
export async function runPass(
  endpoints: Endpoints,
  parts: PassParts,
  signal: AbortSignal,
): Promise<PassResult> {
  let taken = 0;
  let returned = 0;
  let isPutOff = false;
  const isBack = [...endpoints.values()].some((failedBeforeMs) => failedBeforeMs !== REQUESTED);
  for (const topic of parts.topics) {
    const look = lookOf(endpoints, parts);
    const asked = [...look.requests.values()].flat();
    const offsets = await parts.offsets(topic);
    const empty = asked.length > 0 ? await emptyIn(topic, offsets, parts) : NONE;
    for (const { partition, high } of offsets) {
      // Asked for now: what the reader is given back sets it back, and the pass may have been elsewhere for seconds.
      const position = parts.position({ topic, partition }) ?? (empty.has(partition) ? high : undefined);
      // Partitions in which all requests are done are not read again: a pass that ends before it has come to
      // all gets further each time.
      const isAskedFor = asked.some((request) => !request.isDoneIn({ topic, partition }));
      if (signal.aborted || position === undefined || !(isAskedFor || (isBack && position < high))) continue;
      const bounds = { topic, partition, fromOffset: position, toOffset: high, signal };
      const partitions = offsets.length;
      for (const request of asked) request.looksBelow({ topic, partition }, high);
      const result = await new PartitionPass({ ...look, ...bounds, partitions }, endpoints, parts).run();
      taken += result.taken;
      returned += result.returned;
      isPutOff ||= result.isPutOff;
    }
  }
  return { taken, returned, isPutOff };
}

/**
 * The requests that a pass carries out: for a deleted destination its deletion alone, for any other only
 * requests for its calls.
 */
function lookOf(endpoints: Endpoints, { destination, host, jobsInHand, requests }: PassParts): Look {
  const ofKey = (key: string) => {
    const asked = requests.of(key);
    if (asked.length === 0) return asked;
    const isGone = destination(key).kind === "gone";
    return asked.filter(({ isOfDeleted }) => isOfDeleted === isGone);
  };
  const asked = [...endpoints.keys()].map((key) => [key, ofKey(key)] as const);
  const inHand = asked.flatMap(([key, { length }]) =>
    length === 0 ? [] : [[key, jobsInHand.of(key)] as const],
  );
  return { beganAtMs: host.elapsed(), requests: new Map(asked), inHand: new Map(inHand) };
}

const NONE: ReadonlySet<number> = new Set();

/** Partitions that this process reads, of which nothing was fetched yet, and nothing has to be: the group's commit says so. */
async function emptyIn(
  topic: string,
  offsets: readonly PartitionOffsets[],
  { committed, ownership, position }: PassParts,
): Promise<ReadonlySet<number>> {
  const unread = offsets.filter(({ partition }) => {
    const place = { topic, partition };
    return position(place) === undefined && ownership(place).isOurs;
  });
  if (unread.length === 0) return NONE;
  const commits = await committed(topic);
  const empty = unread.filter(
    ({ partition, low, high }) => low === high || (commits.get(partition) ?? 0) >= high,
  );
  return new Set(empty.map(({ partition }) => partition));
}
