// What a new leaf can know of calls that were counted before it was there: from the profile's counts by name (decision 45).
import type { EventLeaf } from "../definition/definition.ts";
import type { LeafPlan } from "../leaves/plan.ts";
import type { LeafState } from "../leaves/state.ts";
import { comparedState } from "./against-trait.ts";
import type { LeafUse } from "./computation-set.ts";
import { subjectOf } from "./identity.ts";
import { type EventSummary, type Profile, UNCOUNTED } from "./profile.ts";
import { leafBytes } from "./size.ts";

/** Whether a profile's counts by name say all that the leaf asks for. */
export function isKnownFromSummary({ summaryKey }: LeafPlan): boolean {
  return summaryKey !== undefined;
}

/** Whether calls of this profile count for the leaf: those of a user or of an account. */
export function counts({ of = "users" }: Pick<EventLeaf, "of">, profileId: string): boolean {
  return subjectOf(profileId) === of;
}

function stateOf({ storage }: LeafPlan, { count, firstMs, lastMs }: EventSummary): LeafState {
  if (storage === "times") return { kind: storage, times: [lastMs] };
  const sums = { sum: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY, pick: undefined };
  return { kind: "counts", tallies: [{ index: 0, n: count, firstMs, lastMs, ...sums }] };
}

/** Whether the state lacks calls: an edit had given the leaf up, they came, and it was asked for again before the state was forgotten. */
function isBehind(state: LeafState, { count, lastMs }: EventSummary): boolean {
  if (state.kind === "times") return (state.times[0] ?? Number.NEGATIVE_INFINITY) < lastMs;
  return state.kind === "counts" && (state.tallies[0]?.n ?? 0) < count;
}

/** What a leaf without a state, or with one that lacks calls, can know; undefined: no more than that. */
function seedOf({ events }: Profile, plan: LeafPlan, known: LeafState | undefined): LeafState | undefined {
  if (plan.summaryKey === undefined) return undefined;
  const summary = events.get(plan.summaryKey);
  if (summary === undefined || (known !== undefined && !isBehind(known, summary))) return undefined;
  return stateOf(plan, summary);
}

/** Whether calls of the leaf may have come of which the profile knows nothing. */
export function isUnknown(profile: Profile, { leaf, summaryKey }: LeafPlan): boolean {
  if (profile.uncounted === UNCOUNTED.calls) return true;
  if (profile.uncounted === UNCOUNTED.nothing || summaryKey === undefined) return false;
  return !profile.events.has(summaryKey) && !profile.leaves.has(leaf.key);
}

/** The leaf's state. A call may be judged before the profile was looked at with a new audience: then what the leaf can know. */
export function leafStateOf(profile: Profile, plan: LeafPlan): LeafState | undefined {
  const known = profile.leaves.get(plan.leaf.key);
  if (known !== undefined && plan.compared.length > 0) return comparedState(profile, plan, known);
  return seedOf(profile, plan, known) ?? known;
}

/**
 * Gives the profile what leaves without a state, or with one that lacks calls, can know. To be called before a call of their name is folded: a leaf that has a state
 * counts for itself. Changes nothing when it is called again.
 */
export function seedLeaves(profile: Profile, uses: Iterable<LeafUse>): void {
  for (const { plan } of uses) {
    if (!counts(plan.leaf, profile.id)) continue;
    const { key } = plan.leaf;
    const known = profile.leaves.get(key);
    const state = seedOf(profile, plan, known);
    if (state === undefined) continue;
    profile.leaves.set(key, state);
    profile.sizeBytes += leafBytes(state) - (known === undefined ? 0 : leafBytes(known));
  }
}
