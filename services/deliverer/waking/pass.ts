// One look through the waiting jobs for those of endpoints that are back. They go through the same step as any job, ahead
// of their due time, as fast as their endpoint has room.
//
// The process may die between any two lines. A job's record stays in the retry topic, and its reader comes to it in due
// time, unless a cursor says that it was taken care of; a cursor is written only over jobs whose outcome is durable.
// What was delivered since the last cursor is delivered once more, with its messageId (contract 1.7). While the pass and
// the topic's reader are in one process, the reader's copy of a job in hand is a double and ends with it (RecentJobs).

import { PartitionPass } from "./partition-pass.ts";
import type { Endpoints, PassParts, PassResult } from "./parts.ts";

/** Wakes what waits for `endpoints`. Ends when every outcome is durable and the cursors are written. */
export async function runPass(
  endpoints: Endpoints,
  parts: PassParts,
  signal: AbortSignal,
): Promise<PassResult> {
  let taken = 0;
  let returned = 0;
  for (const topic of parts.topics) {
    for (const { partition, high } of await parts.offsets(topic)) {
      const position = parts.position({ topic, partition });
      if (position === undefined || signal.aborted) continue;
      const bounds = { topic, partition, fromOffset: position, toOffset: high, signal };
      if (bounds.fromOffset >= high) continue;
      const result = await new PartitionPass(bounds, endpoints, parts).run();
      taken += result.taken;
      returned += result.returned;
    }
  }
  return { taken, returned };
}
