// Conditions whose value is a trait: against what the trait is now.
import { resolve } from "../definition/conditions.ts";
import type { Test } from "../definition/definition.ts";
import { meetsOne } from "../leaves/condition.ts";
import type { LeafPlan } from "../leaves/plan.ts";
import type { LeafState } from "../leaves/state.ts";
import type { Profile } from "./profile.ts";
import { traitAt } from "./trait-value.ts";

type Traits = Pick<Profile, "traits">;

/** The test itself, or against what its trait is. */
export function resolved(test: Test, profile: Traits): Test {
  return test.op === "against_trait" ? resolve(test, traitAt(profile, test.trait)) : test;
}

/** Of the occurrences those whose values meet the traits, as a leaf without such conditions keeps them. */
export function comparedState(profile: Traits, plan: LeafPlan, state: LeafState): LeafState {
  if (state.kind !== "occurrences") return state;
  const tests = plan.compared.map(({ test }) => resolved(test, profile));
  const occurrences = state.occurrences.flatMap((one) => {
    const [value, ...compared] = Array.isArray(one.value) ? one.value : [];
    const isMet = tests.every((test, place) => meetsOne({ path: [], test }, compared[place]));
    return isMet ? { ...one, value } : [];
  });
  return { ...state, occurrences };
}
