// What is asked of the states of event leaves, where it is not how often (definition/composite-leaf.ts).
import type { Ask, Test, Window } from "../definition/definition.ts";
import { MAX_SEQUENCE_CALLS } from "../definition/limits.ts";
import { intervalOf } from "./condition.ts";
import { evaluateLeaf, isMet } from "./leaf.ts";
import { countMembers } from "./members.ts";
import type { LeafPlan } from "./plan.ts";
import { beganAgainMs } from "./runs.ts";
import { firstCalls } from "./sequence.ts";
import type { Evaluation, LeafState, TalliesState } from "./state.ts";

type EverAsk = Extract<Ask, { kind: "first" | "stopped" }>;
type SequenceAsk = Extract<Ask, { kind: "followed" | "not_followed" }>;
type MembersAsk = Extract<Ask, { kind: "members" }>;
type Span = Pick<Window, "enterMs" | "leaveMs">;

/** An event leaf, and what a profile keeps for it. */
export interface Part {
  readonly plan: LeafPlan;
  readonly state: LeafState | undefined;
}

/** Whether it holds; `untilMs` is when passing time may change that. */
export interface Judgement extends Evaluation {
  readonly holds: boolean;
}

const FOR_EVER = Number.POSITIVE_INFINITY;

const UNMET: Judgement = {
  holds: false,
  value: null,
  untilMs: FOR_EVER,
  isOverflowing: false,
};

/** The value may change, or the operator begin or end to hold of it. */
function judgeValue(test: Test, { plan, state }: Part, nowMs: number): Judgement {
  const { isOverflowing, untilMs, value } = evaluateLeaf(plan, state, nowMs);
  const interval = intervalOf({ path: [], test }, value);
  const holds = interval.fromMs <= nowMs && nowMs < interval.untilMs;
  const nextMs = nowMs < interval.fromMs ? interval.fromMs : interval.untilMs;
  return { holds, value, isOverflowing, untilMs: nextMs > nowMs ? Math.min(untilMs, nextMs) : untilMs };
}

/** Of one moment that counts from one time until another. */
function judgeTime(atMs: number | undefined, { enterMs, leaveMs }: Span, nowMs: number): Judgement {
  if (atMs === undefined) return UNMET;
  const [fromMs, untilMs] = [atMs + enterMs, atMs + leaveMs];
  const shown = { value: new Date(atMs).toISOString(), isOverflowing: false };
  if (nowMs < fromMs) return { ...shown, holds: false, untilMs: fromMs };
  return nowMs < untilMs ? { ...shown, holds: true, untilMs } : { ...shown, holds: false, untilMs: FOR_EVER };
}

/** A time outside of the dates does not count, whatever passes. */
function judgeFirst({ tallies }: TalliesState, window: Window, nowMs: number): Judgement {
  const { firstMs = Number.NaN } = tallies[0] ?? {};
  const isMeant = firstMs >= window.afterMs && firstMs < window.beforeMs;
  return judgeTime(isMeant ? firstMs : undefined, window, nowMs);
}

const timesOf = (part: Part | undefined): readonly number[] =>
  part?.state?.kind === "times" ? part.state.times : [];

/** Calls that are followed count at once, those that are not when the time for it is over; all of them until they leave the window. */
function judgeSequence(ask: SequenceAsk, [first, next]: readonly Part[], nowMs: number): Judgement {
  if (first === undefined) return UNMET;
  const sequence = { first: timesOf(first), next: timesOf(next), withinMs: ask.withinMs };
  const isFollowed = ask.kind === "followed";
  const enterMs = isFollowed ? 0 : ask.withinMs;
  const { leaveMs } = first.plan.leaf.window;
  const isOverflowing = [sequence.first, sequence.next].some(({ length }) => length >= MAX_SEQUENCE_CALLS);
  let awaitedMs = FOR_EVER;
  for (const atMs of firstCalls(sequence, isFollowed)) {
    const judged = judgeTime(atMs, { enterMs, leaveMs }, nowMs);
    if (judged.holds) return { ...judged, isOverflowing };
    awaitedMs = Math.min(awaitedMs, judged.untilMs);
  }
  return { ...UNMET, isOverflowing, untilMs: awaitedMs };
}

/** Of the first and the last time of a lifetime. */
function judgeEver(ask: EverAsk, { state }: Part, nowMs: number): Judgement {
  if (state?.kind !== "counts") return UNMET;
  if (ask.kind === "first") return judgeFirst(state, ask.window, nowMs);
  return judgeTime(state.tallies[0]?.lastMs, { enterMs: ask.breakMs, leaveMs: FOR_EVER }, nowMs);
}

function judgeAgain({ plan, state }: Part, nowMs: number): Judgement {
  return judgeTime(state?.kind === "runs" ? beganAgainMs(state) : undefined, plan.leaf.window, nowMs);
}

function judgeMembers({ count, of }: MembersAsk, parts: readonly Part[], nowMs: number): Judgement {
  const found = countMembers(of, parts, nowMs);
  return { ...found, holds: isMet(count, found.value) };
}

/** At `nowMs`, of the parts in the order of the definition. */
export function judge(ask: Ask, parts: readonly Part[], nowMs: number): Judgement {
  const [first] = parts;
  if (first === undefined) return UNMET;
  switch (ask.kind) {
    case "value":
      return judgeValue(ask.test, first, nowMs);
    case "members":
      return judgeMembers(ask, parts, nowMs);
    case "after_break":
      return judgeAgain(first, nowMs);
    case "followed":
    case "not_followed":
      return judgeSequence(ask, parts, nowMs);
    default:
      return judgeEver(ask, first, nowMs);
  }
}
