// unique, unique_count and most_frequent, and members: each value with its own buckets, at most so many values. Of unique_count a longer value
// is kept as its hash, and so is each member.
import { createHash } from "node:crypto";
import type { ReduceFn } from "../definition/definition.ts";
import type { LeafPlan } from "./plan.ts";
import type { Pick, Tally, ValuesState } from "./state.ts";
import {
  addToTallies,
  bucketOf,
  counts,
  isOver,
  mergeTallies,
  newTally,
  overAtMs,
  pruneTallies,
  talliesUntilMs,
} from "./tallies.ts";

export const MAX_UNIQUE_VALUES = 1_000;
export const MAX_FREQUENT_VALUES = 100;

function fnOf({ leaf }: LeafPlan): ReduceFn | undefined {
  return leaf.measure.kind === "reduce" ? leaf.measure.fn : undefined;
}

function capacityOf(plan: LeafPlan): number {
  return fnOf(plan) === "most_frequent" ? MAX_FREQUENT_VALUES : MAX_UNIQUE_VALUES;
}

/** Whether it is enough that a value was there once: not where values, or the calls of a member, are counted. */
function isOnceEnough(plan: LeafPlan): boolean {
  const { measure } = plan.leaf;
  if (measure.kind === "members") return measure.op === "gte" && measure.value <= 1;
  return fnOf(plan) !== "most_frequent";
}

/** In a window that begins now only the newest bucket decides how long a value is among the unique ones. */
function dropOlder(tallies: Tally[], plan: LeafPlan): void {
  if (plan.leaf.window.enterMs === 0 && isOnceEnough(plan) && tallies.length > 1)
    tallies.splice(0, tallies.length - 1);
}

/** A state of these values; without any, the empty one. */
export function createValues(values = new Map<string, Tally[]>(), isOverflowing = false): ValuesState {
  const state: ValuesState = {
    kind: "values",
    values,
    isOverflowing,
    tallyCount: 0,
    textBytes: 0,
    pruneAtMs: 0,
    isHashed: false,
  };
  countAll(state);
  return state;
}

/** Counted anew; a state that is changed otherwise says so. */
export function countAll(state: ValuesState): void {
  state.tallyCount = 0;
  state.textBytes = 0;
  for (const [text, tallies] of state.values) {
    state.tallyCount += tallies.length;
    state.textBytes += Buffer.byteLength(text);
  }
}

/** Drops buckets that are over, and values without one; looks at all of them only when the oldest bucket may be over. */
export function pruneValues(state: ValuesState, plan: LeafPlan, nowMs: number): void {
  if (nowMs < state.pruneAtMs) return;
  state.pruneAtMs = Number.POSITIVE_INFINITY;
  for (const [text, tallies] of state.values) {
    pruneTallies(tallies, plan, nowMs);
    const [oldest] = tallies;
    if (oldest === undefined) state.values.delete(text);
    else state.pruneAtMs = Math.min(state.pruneAtMs, overAtMs(oldest.index, plan));
  }
  countAll(state);
}

/** Characters of a hash with the `#` before it, by which it is told from JSON: 60 bits, the same for two of 1,000 values once in 10^12 profiles. */
const HASH_CHARACTERS = 11;

export function hashOf(text: string): string {
  return `#${createHash("sha256")
    .update(text)
    .digest("base64url")
    .slice(0, HASH_CHARACTERS - 1)}`;
}

/** The text under which a value is kept; an account names no user. */
function keyOf(text: string, plan: LeafPlan): string {
  if (plan.leaf.measure.kind === "members") return hashOf(text);
  const isKeptWhole = fnOf(plan) !== "unique_count" || text.length <= HASH_CHARACTERS || text.startsWith("#");
  return isKeptWhole ? text : hashOf(text);
}

/** A version before has kept values of unique_count as they are. */
function hashLong(state: ValuesState, plan: LeafPlan): void {
  if (fnOf(plan) !== "unique_count" || state.isHashed) return;
  state.isHashed = true;
  for (const [text, tallies] of [...state.values]) {
    const key = keyOf(text, plan);
    if (key === text) continue;
    state.values.delete(text);
    const known = state.values.get(key);
    if (known === undefined) state.values.set(key, tallies);
    else mergeTallies(known, tallies, plan);
  }
  countAll(state);
}

function talliesFor(
  state: ValuesState,
  text: string,
  { hasRoom, plan }: { readonly plan: LeafPlan; readonly hasRoom: boolean },
): Tally[] | undefined {
  const known = state.values.get(text);
  if (known !== undefined) return known;
  if (!hasRoom || state.values.size >= capacityOf(plan)) {
    state.isOverflowing = true;
    return undefined;
  }
  const tallies: Tally[] = [];
  state.values.set(text, tallies);
  return tallies;
}

/** Counts the value; one too many, or a new one where there is no room, is left out, and the state says so. */
export function addValue(
  state: ValuesState,
  pick: Pick,
  plan: LeafPlan,
  { hasRoom = true, nowMs }: { readonly nowMs: number; readonly hasRoom?: boolean | undefined },
): void {
  pruneValues(state, plan, nowMs);
  hashLong(state, plan);
  const index = bucketOf(pick.atMs, plan);
  if (isOver(index, plan, nowMs)) return;
  const text = keyOf(JSON.stringify(pick.value), plan);
  const tallies = talliesFor(state, text, { plan, hasRoom });
  if (tallies === undefined) return;
  const before = tallies.length;
  addToTallies(tallies, pick, plan);
  dropOlder(tallies, plan);
  state.tallyCount += tallies.length - before;
  if (before === 0) state.textBytes += Buffer.byteLength(text);
  state.pruneAtMs = Math.min(state.pruneAtMs, overAtMs(index, plan));
}

/**
 * Of two facts about a member the later one holds. That somebody is none is kept, too: an earlier fact that comes late is known by it. It makes way
 * for another member.
 */
export function setMember(
  state: ValuesState,
  { atMs, isMember, userId }: { readonly userId: string; readonly isMember: boolean; readonly atMs: number },
  plan: LeafPlan,
  hasRoom: boolean,
): void {
  const text = keyOf(JSON.stringify(userId), plan);
  const [known] = state.values.get(text) ?? [];
  if (known !== undefined && known.lastMs >= atMs) return;
  const isFull = !hasRoom || state.values.size >= capacityOf(plan);
  if (known === undefined && isFull) {
    if (!isMember) return;
    dropOneWhoLeft(state);
  }
  const tallies = talliesFor(state, text, { plan, hasRoom });
  if (tallies === undefined) return;
  tallies[0] = { ...newTally(0, 0), n: isMember ? 1 : 0, lastMs: atMs };
  if (known === undefined) countOne(state, text, 1);
}

function dropOneWhoLeft(state: ValuesState): void {
  for (const [text, [tally]] of state.values)
    if (tally?.n === 0) {
      state.values.delete(text);
      countOne(state, text, -1);
      return;
    }
}

/** A member has one bucket. Counted so that an account that learns of a thousand does not count all of them for each. */
function countOne(state: ValuesState, text: string, by: 1 | -1): void {
  state.tallyCount += by;
  state.textBytes += by * Buffer.byteLength(text);
}

export function mergeValues(into: ValuesState, from: ValuesState, plan: LeafPlan): void {
  into.isOverflowing ||= from.isOverflowing;
  for (const state of [into, from]) hashLong(state, plan);
  for (const [text, moved] of from.values) {
    const tallies = talliesFor(into, text, { plan, hasRoom: true });
    if (tallies === undefined) continue;
    mergeTallies(tallies, moved, plan);
    dropOlder(tallies, plan);
  }
  into.pruneAtMs = 0;
  countAll(into);
}

/** Values that count now, by their JSON text, with how often. */
export function countValues({ values }: ValuesState, plan: LeafPlan, nowMs: number): Map<string, number> {
  const found = new Map<string, number>();
  for (const [text, tallies] of values) {
    let n = 0;
    for (const tally of tallies) if (counts(tally, plan, nowMs)) n += tally.n;
    if (n > 0) found.set(text, n);
  }
  return found;
}

export function valuesUntilMs({ values }: ValuesState, plan: LeafPlan, nowMs: number): number {
  let untilMs = Number.POSITIVE_INFINITY;
  for (const tallies of values.values()) untilMs = Math.min(untilMs, talliesUntilMs(tallies, plan, nowMs));
  return untilMs;
}
