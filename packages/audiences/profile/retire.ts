// When an audience or computed trait is deleted (docs/use/audiences.md).
import type { ComputationSet } from "./computation-set.ts";
import { forgetIncomplete } from "./incomplete.ts";
import { forgetResults, type Profile } from "./profile.ts";
import type { Sends } from "./sent-along.ts";
import { setValue } from "./settle.ts";
import { profileBytes } from "./size.ts";
import { isSilenced } from "./suppression.ts";

/** Sends `false` to a member of an audience that is about to be deleted; nothing to all others. */
export function leaveAudience(
  profile: Profile,
  audience: { readonly id: string; readonly generation: number; readonly sends?: Sends | undefined },
  nowMs: number,
): void {
  if (!isSilenced(profile) && profile.results.get(audience.id)?.text === "true")
    setValue(profile, audience, "false", nowMs);
}

/**
 * Drops what nothing in the set uses any more: results, lists and states of leaves. True when there was something. Of ids that
 * are `kept` and not in the set, as their definition cannot be read, stays what was sent.
 */
export function forgetUnused(
  profile: Profile,
  set: Pick<ComputationSet, "leaves">,
  kept: Pick<ReadonlySet<string>, "has">,
): boolean {
  const { leaves, lists, backfilled, results } = profile;
  const before = leaves.size + lists.size + results.size + backfilled.size;
  for (const key of leaves.keys()) if (!set.leaves.has(key)) leaves.delete(key);
  for (const key of backfilled.keys()) if (!set.leaves.has(key)) backfilled.delete(key);
  for (const id of lists) if (!kept.has(id)) lists.delete(id);
  forgetResults(profile, (id) => !kept.has(id));
  forgetIncomplete(profile, (id) => kept.has(id));
  profile.sizeBytes = profileBytes(profile);
  return leaves.size + lists.size + results.size + backfilled.size < before;
}
