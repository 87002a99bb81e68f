// How many members of an account meet conditions on their own calls: from the calls of each that the account has counted.
import type { MemberExpression } from "../definition/definition.ts";
import { isMetByMember } from "../definition/polarity.ts";
import { isMet } from "./leaf.ts";
import type { LeafPlan } from "./plan.ts";
import type { Evaluation, LeafState } from "./state.ts";
import { countValues, valuesUntilMs } from "./values.ts";

/** An event leaf that counts for each member, and what the account keeps for it. */
interface MembersPart {
  readonly plan: LeafPlan;
  readonly state: LeafState | undefined;
}

/** Who has done it, and how often: calls that count at `nowMs`, by member. */
function callsOf({ plan, state }: MembersPart, nowMs: number): ReadonlyMap<string, number> {
  return state?.kind === "values" ? countValues(state, plan, nowMs) : new Map<string, number>();
}

function untilMsOf({ plan, state }: MembersPart, nowMs: number): number {
  return state?.kind === "values" ? valuesUntilMs(state, plan, nowMs) : Number.POSITIVE_INFINITY;
}

function meetsPart({ measure }: LeafPlan["leaf"], calls: number): boolean {
  return measure.kind === "members" && isMet(measure, calls);
}

/** Who has done nothing that a part names meets no such expression: definitions are read so. */
export function countMembers(
  of: MemberExpression,
  parts: readonly MembersPart[],
  nowMs: number,
): Evaluation & { readonly value: number } {
  const done = parts.map((part) => callsOf(part, nowMs));
  const members = new Set(done.flatMap((calls) => [...calls.keys()]));
  let value = 0;
  for (const member of members) {
    const meets = (place: number): boolean => {
      const part = parts[place];
      return part !== undefined && meetsPart(part.plan.leaf, done[place]?.get(member) ?? 0);
    };
    if (isMetByMember(of, meets)) value += 1;
  }
  const untilMs = Math.min(...parts.map((part) => untilMsOf(part, nowMs)));
  const isOverflowing = parts.some(({ state }) => state?.kind === "values" && state.isOverflowing);
  return { value, untilMs, isOverflowing };
}
