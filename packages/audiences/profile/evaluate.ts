// What an audience or computed trait comes to for a profile at one moment, and until when it stays so.
import { type Judgement, judge } from "../leaves/composite.ts";
import { intervalOf } from "../leaves/condition.ts";
import { evaluateLeaf, isMet } from "../leaves/leaf.ts";
import type { LeafPlan } from "../leaves/plan.ts";
import { resolved } from "./against-trait.ts";
import type { Computation, Node } from "./computation.ts";
import type { Profile } from "./profile.ts";
import { leafStateOf } from "./seed.ts";
import { traitRoot } from "./trait-value.ts";

/** Whether something holds; unless something happens, it stays so until `untilMs`. */
export interface Holding {
  readonly holds: boolean;
  readonly untilMs: number;
}

export interface Moment {
  readonly profile: Profile;
  readonly nowMs: number;
  /** Audiences that others name, each evaluated once; there from the first one on. */
  known?: Map<Computation, Holding>;
}

const FOR_EVER = Number.POSITIVE_INFINITY;
const UNMET: Holding = { holds: false, untilMs: FOR_EVER };

function evaluateEvent(plan: LeafPlan, { profile, nowMs }: Moment): Holding {
  const { value, untilMs } = evaluateLeaf(plan, leafStateOf(profile, plan), nowMs);
  const { measure } = plan.leaf;
  return { holds: measure.kind === "count" && isMet(measure, value as number), untilMs };
}

/** What the leaf's parts come to together. */
export function evaluateComposite(
  { ask, plans }: Node & { kind: "composite" },
  { profile, nowMs }: Moment,
): Judgement {
  return judge(
    ask.kind === "value" ? { ...ask, test: resolved(ask.test, profile) } : ask,
    plans.map((plan) => ({ plan, state: leafStateOf(profile, plan) })),
    nowMs,
  );
}

/** Of the value that the computed trait has now, whether it is sent or not. */
export function evaluateComputed(
  { test, trait }: Node & { kind: "computed" },
  { profile, nowMs }: Moment,
): Judgement {
  const plan = trait?.plan;
  if (plan === undefined) return { ...UNMET, value: null, isOverflowing: false };
  const part = { plan, state: leafStateOf(profile, plan) };
  return judge({ kind: "value", test: resolved(test, profile) }, [part], nowMs);
}

function evaluateTrait(node: Node & { kind: "trait" }, { profile, nowMs }: Moment): Holding {
  const { path, test } = node.condition;
  const { rest, root } = traitRoot(profile, path);
  const { fromMs, untilMs } = intervalOf({ path: rest, test: resolved(test, profile) }, root);
  if (nowMs < fromMs) return { holds: false, untilMs: fromMs };
  return nowMs < untilMs ? { holds: true, untilMs } : UNMET;
}

function evaluateNamed(audience: Computation | undefined, moment: Moment): Holding {
  if (audience === undefined) return UNMET;
  const known = moment.known?.get(audience);
  if (known !== undefined) return known;
  const holding = evaluateAudience(audience, moment);
  moment.known ??= new Map();
  moment.known.set(audience, holding);
  return holding;
}

function evaluateAudience({ id, root }: Computation, moment: Moment): Holding {
  if (root === undefined) return { holds: moment.profile.lists.has(id), untilMs: FOR_EVER };
  return evaluateNode(root, moment);
}

/**
 * A group whose answer one part decides stays so as long as that part does, so the latest of the deciding ones counts; otherwise the
 * earliest change of any part.
 */
function evaluateGroup({ kind, of }: Node & { kind: "all" | "any" }, moment: Moment): Holding {
  const deciding = kind === "any";
  let earliestMs = FOR_EVER;
  let latestDecidingMs = 0;
  for (const part of of) {
    const { holds, untilMs } = evaluateNode(part, moment);
    if (holds === deciding) latestDecidingMs = Math.max(latestDecidingMs, untilMs);
    earliestMs = Math.min(earliestMs, untilMs);
    if (latestDecidingMs === FOR_EVER) break;
  }
  if (latestDecidingMs > 0) return { holds: deciding, untilMs: latestDecidingMs };
  return { holds: !deciding, untilMs: earliestMs };
}

export function evaluateNode(node: Node, moment: Moment): Holding {
  switch (node.kind) {
    case "event":
      return evaluateEvent(node.plan, moment);
    case "composite":
      return evaluateComposite(node, moment);
    case "computed":
      return evaluateComputed(node, moment);
    case "trait":
      return evaluateTrait(node, moment);
    case "audience":
      return evaluateNamed(node.audience, moment);
    case "not": {
      const { holds, untilMs } = evaluateNode(node.of, moment);
      return { holds: !holds, untilMs };
    }
    default:
      return evaluateGroup(node, moment);
  }
}

/** The value of the trait that the computation sends, and until when it stays so. */
export interface Evaluated {
  readonly value: unknown;
  readonly untilMs: number;
}

/** Of an audience whether the profile is in it, of a computed trait its value. */
export function evaluateComputation(computation: Computation, moment: Moment): Evaluated {
  const { plan } = computation;
  if (plan !== undefined) return evaluateLeaf(plan, leafStateOf(moment.profile, plan), moment.nowMs);
  const { holds, untilMs } = moment.known?.get(computation) ?? evaluateAudience(computation, moment);
  return { value: holds, untilMs };
}
