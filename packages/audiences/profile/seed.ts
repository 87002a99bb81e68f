// What a new leaf can know of calls that were counted before it was there: from the profile's counts by name (docs/decisions/0045).
import type { LeafPlan } from "../leaves/plan.ts";
import type { LeafState } from "../leaves/state.ts";
import type { LeafUse } from "./computation-set.ts";
import type { EventSummary, Profile } from "./profile.ts";
import { leafBytes } from "./size.ts";

/** Whether a profile's counts by name say all that the leaf asks for: how often in a lifetime, or when last. */
export function isKnownFromSummary({ bucketMs, leaf, maxTimes, storage }: LeafPlan): boolean {
  const { afterMs, beforeMs } = leaf.window;
  if (leaf.where.length > 0 || Number.isFinite(afterMs) || Number.isFinite(beforeMs)) return false;
  return (
    (storage === "times" && maxTimes === 1) || (storage === "counts" && bucketMs === Number.POSITIVE_INFINITY)
  );
}

function stateOf({ storage }: LeafPlan, { count, firstMs, lastMs }: EventSummary): LeafState {
  if (storage === "times") return { kind: storage, times: [lastMs] };
  const sums = { sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, pick: undefined };
  return { kind: "counts", tallies: [{ index: 0, n: count, firstMs, lastMs, ...sums }] };
}

/** What a leaf without a state can know; undefined: nothing. */
function seedOf({ events }: Profile, plan: LeafPlan): LeafState | undefined {
  if (!isKnownFromSummary(plan)) return undefined;
  const summary = events.get(`${plan.leaf.type} ${plan.leaf.name}`);
  return summary && stateOf(plan, summary);
}

/** The leaf's state. A call may be judged before the profile was looked at with a new audience: then what the leaf can know. */
export function leafStateOf(profile: Profile, plan: LeafPlan): LeafState | undefined {
  return profile.leaves.get(plan.leaf.key) ?? seedOf(profile, plan);
}

/**
 * Gives the profile what leaves without a state can know. To be called before a call of their name is folded: a leaf that has a state
 * counts for itself. Changes nothing when it is called again.
 */
export function seedLeaves(profile: Profile, uses: Iterable<LeafUse>): void {
  for (const { plan } of uses) {
    const { key } = plan.leaf;
    const state = profile.leaves.has(key) ? undefined : seedOf(profile, plan);
    if (state === undefined) continue;
    profile.leaves.set(key, state);
    profile.sizeBytes += leafBytes(state);
  }
}
