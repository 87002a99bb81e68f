// What a durable profile has to say to others.
import { type FlipContext, identifyCall, SPACE, trackCall } from "#audiences";
import type { OutgoingRecord } from "#kafka";
import { profileEvent } from "#topics";
import type { ProcessorRecords } from "../records.ts";
import type { Snapshot } from "./batch.ts";

/** What is sent under; undefined for a computation of which nothing is known. */
export type ComputationOf = (id: string) => FlipContext["computation"] | undefined;

/**
 * The identify and track calls of its flips, and its state for the profile that it was merged into. Created again from the same profile it is the same,
 * message ids included.
 */
export function outgoingOf(
  { entry, flips, incarnation, profile: { id }, releaseTo }: Snapshot,
  records: ProcessorRecords,
  computationOf: ComputationOf,
): OutgoingRecord[] {
  const calls = flips.flatMap((flip) => {
    const computation = computationOf(flip.computationId);
    if (computation === undefined) return [];
    const context = { profile: { id, incarnation }, computation, space: SPACE };
    const identify = records.spaceCall(identifyCall(flip, context));
    return flip.isTracked ? [identify, records.spaceCall(trackCall(flip, context))] : [identify];
  });
  if (releaseTo === undefined) return calls;
  const merge = profileEvent("merge", { movedId: id, movedState: entry.value });
  return [...calls, records.profileEvent(releaseTo, merge)];
}
