// What a durable profile has to say to others.
import { accountProfileId, type Flip, type FlipContext, ownerOf, trackCall, traitsCall } from "#audiences";
import type { OutgoingRecord } from "#kafka";
import { profileEvent } from "#topics";
import type { ProcessorRecords } from "../records.ts";
import type { Snapshot } from "./batch.ts";

/** What is sent under; undefined for a computation of which nothing is known. */
export type ComputationOf = (id: string) => FlipContext["computation"] | undefined;

/** As an identify call, and not told to an account alone. */
export function isSent({ toAccount }: Flip): boolean {
  return toAccount === undefined;
}

/** What an account learns about a user. What was deleted since nobody asks about. */
function toldRecord(
  { atMs: toldAtMs, text, toAccount = "" }: Flip,
  profileId: string,
  { computationOf, records }: { readonly computationOf: ComputationOf; readonly records: ProcessorRecords },
): OutgoingRecord {
  const owner = ownerOf(profileId);
  const memberId = "userId" in owner ? owner.userId : null;
  const audienceKeys = (JSON.parse(text) as string[]).flatMap((id) => computationOf(id)?.key ?? []);
  const told = profileEvent("member", { memberId, audienceKeys, toldAtMs });
  return records.profileEvent(accountProfileId(toAccount), told);
}

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
    if (flip.toAccount !== undefined) return [toldRecord(flip, id, { computationOf, records })];
    const computation = computationOf(flip.computationId);
    if (computation === undefined) return [];
    const context = { profile: { id, incarnation }, computation };
    const identify = records.spaceCall(traitsCall(flip, context));
    return flip.isTracked ? [identify, records.spaceCall(trackCall(flip, context))] : [identify];
  });
  if (releaseTo === undefined) return calls;
  const merge = profileEvent("merge", { movedId: id, movedState: entry.value });
  return [...calls, records.profileEvent(releaseTo, merge)];
}
