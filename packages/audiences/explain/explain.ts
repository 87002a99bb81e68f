// Why a profile is in an audience or not, leaf by leaf , for the API.
import { callsIn } from "../leaves/counted-calls.ts";
import { evaluateLeaf } from "../leaves/leaf.ts";
import type { Evaluation } from "../leaves/state.ts";
import type { Computation, Node } from "../profile/computation.ts";
import {
  evaluateComposite,
  evaluateComputation,
  evaluateComputed,
  evaluateNode,
  type Moment,
} from "../profile/evaluate.ts";
import type { Profile } from "../profile/profile.ts";
import { leafStateOf } from "../profile/seed.ts";
import { traitAt } from "../profile/trait-value.ts";

export interface LeafExplanation {
  /** Where the leaf stands: `definition.all[0]`. */
  readonly path: string;
  readonly holds: boolean;
  /** The count of an event leaf, what its calls come to where `reduce` asks for it, the value of a trait or a computed trait, whether the named audience has the profile. */
  readonly value: unknown;
  /** When passing time changes `holds`; absent: never by itself. */
  readonly untilMs?: number;
  /** A count or value that left something out, because there was more than a profile keeps. */
  readonly isOverflowing?: boolean;
}

export interface MembershipExplanation {
  readonly isMember: boolean;
  /** When the membership was sent; absent for who was never in. */
  readonly sinceMs?: number;
  /** When passing time changes the membership. */
  readonly untilMs?: number;
  /** The profile had no room for something that the definition asks for. */
  readonly isIncomplete?: true;
  readonly leaves: readonly LeafExplanation[];
}

/** Buckets that come and go change a count without changing the answer; so many of them are looked beyond. */
const MAX_STEPS = 1_000;
/** Of each condition, where several profiles are explained at once. */
const MAX_STEPS_OF_SEVERAL = 50;

/** The first moment at which `valueAt` gives another value; undefined when it never does by itself. */
async function changeMs(
  evaluate: (nowMs: number) => { readonly value: unknown; readonly untilMs: number },
  { maxSteps = MAX_STEPS, nowMs, pause }: Pick<Asked, "maxSteps" | "nowMs" | "pause">,
): Promise<{ untilMs?: number }> {
  const { untilMs, value } = evaluate(nowMs);
  let changesMs = untilMs;
  for (let step = 0; step < maxSteps && changesMs !== Number.POSITIVE_INFINITY; step += 1) {
    await pause();
    const next = evaluate(changesMs);
    if (JSON.stringify(next.value) !== JSON.stringify(value)) return { untilMs: changesMs };
    changesMs = next.untilMs;
  }
  return Number.isFinite(changesMs) ? { untilMs: changesMs } : {};
}

/** What calls have come to, of a leaf that asks for it. */
function evaluationOf(node: Node, moment: Moment): Evaluation | undefined {
  switch (node.kind) {
    case "event":
      return evaluateLeaf(node.plan, leafStateOf(moment.profile, node.plan), moment.nowMs);
    case "composite":
      return evaluateComposite(node, moment);
    case "computed":
      return evaluateComputed(node, moment);
    default:
      return undefined;
  }
}

function leafValue(node: Node, { profile, nowMs }: Moment): Pick<LeafExplanation, "value" | "isOverflowing"> {
  const evaluation = evaluationOf(node, { profile, nowMs });
  if (evaluation !== undefined) {
    const { isOverflowing, value } = evaluation;
    return isOverflowing ? { value, isOverflowing } : { value };
  }
  if (node.kind !== "trait") return { value: evaluateNode(node, { profile, nowMs }).holds };
  return { value: traitAt(profile, node.condition.path) ?? null };
}

async function explainNode(node: Node, asked: Asked): Promise<LeafExplanation[]> {
  if (node.kind === "not") return await explainNode(node.of, asked);
  if ("of" in node) {
    const found: LeafExplanation[] = [];
    for (const one of node.of) found.push(...(await explainNode(one, asked)));
    return found;
  }
  await asked.pause();
  const { profile, nowMs } = asked;
  const holding = (atMs: number) => {
    const { holds, untilMs } = evaluateNode(node, { profile, nowMs: atMs });
    return { value: holds, untilMs };
  };
  const { value: holds } = holding(nowMs);
  const value = leafValue(node, { profile, nowMs });
  return [{ path: node.path, holds, ...value, ...(await changeMs(holding, asked)) }];
}

export interface Asked {
  readonly profile: Profile;
  readonly nowMs: number;
  /** Asked before each piece of work: an audience may have to be evaluated at a thousand moments. */
  readonly pause: () => Promise<void> | undefined;
  /** How many moments are looked at to find when an answer changes; beyond them `untilMs` is the first moment not looked at. */
  readonly maxSteps?: number;
}

/** What each condition of a definition comes to for one of several profiles, whether it is an audience that has members or not. */
export async function explainConditions(
  { root }: Pick<Computation, "root">,
  asked: Omit<Asked, "maxSteps">,
): Promise<LeafExplanation[]> {
  return root === undefined ? [] : await explainNode(root, { ...asked, maxSteps: MAX_STEPS_OF_SEVERAL });
}

/** What a computed trait comes to, and the calls that it is made of. */
export interface ValueExplanation {
  readonly value: unknown;
  /** When passing time changes it; absent: never by itself. */
  readonly untilMs?: number;
  readonly isOverflowing?: boolean;
  /** Absent where a profile keeps values, not how often each came. */
  readonly calls?: number;
  readonly firstMs?: number;
  /** Absent without any call. */
  readonly lastMs?: number;
}

/** Of a computed trait. */
export async function explainValue(
  { plan }: Pick<Computation, "plan">,
  asked: Omit<Asked, "maxSteps">,
): Promise<ValueExplanation> {
  if (plan === undefined) return { value: null };
  await asked.pause();
  const { nowMs, profile } = asked;
  const state = leafStateOf(profile, plan);
  const { isOverflowing, value } = evaluateLeaf(plan, state, nowMs);
  const evaluate = (laterMs: number) => evaluateLeaf(plan, state, laterMs);
  return {
    value,
    ...(isOverflowing && { isOverflowing }),
    ...callsIn(state, plan, nowMs),
    ...(await changeMs(evaluate, { ...asked, maxSteps: MAX_STEPS_OF_SEVERAL })),
  };
}

/** Of an audience: whether the profile is in it as it was sent, since and until when, and what each leaf has come to at `nowMs`. */
export async function explainMembership(
  computation: Computation,
  { nowMs, pause, profile }: Asked,
): Promise<MembershipExplanation> {
  const asked = { profile, pause, nowMs: Math.max(nowMs, profile.judgedAtMs) };
  const result = profile.results.get(computation.id);
  const evaluate = (laterMs: number) => evaluateComputation(computation, { profile, nowMs: laterMs });
  return {
    isMember: result?.text === "true",
    ...(result !== undefined && result.seq > 0 && { sinceMs: result.sinceMs }),
    ...(await changeMs(evaluate, asked)),
    ...(profile.incompleteFor.has(computation.id) && { isIncomplete: true as const }),
    leaves: computation.root === undefined ? [] : await explainNode(computation.root, asked),
  };
}
