// Occurrences in buckets of time. A bucket counts from when its first occurrence enters the window until its last one leaves it, so it is
// never short of an occurrence, and off by less than its width.
import type { LeafPlan } from "./plan.ts";
import type { Pick, Tally } from "./state.ts";

export function bucketOf(atMs: number, { bucketMs }: LeafPlan): number {
  return bucketMs === Number.POSITIVE_INFINITY ? 0 : Math.floor(atMs / bucketMs);
}

/** From when on no occurrence of this bucket can count any more, not even one that comes late. */
export function overAtMs(index: number, { bucketMs, leaf }: LeafPlan): number {
  const isLifetime = bucketMs === Number.POSITIVE_INFINITY;
  return isLifetime ? bucketMs : (index + 1) * bucketMs + leaf.window.leaveMs;
}

export function isOver(index: number, plan: LeafPlan, nowMs: number): boolean {
  return overAtMs(index, plan) <= nowMs;
}

export function pruneTallies(tallies: Tally[], plan: LeafPlan, nowMs: number): void {
  let over = 0;
  while (over < tallies.length && isOver(tallies[over]?.index ?? 0, plan, nowMs)) over += 1;
  if (over > 0) tallies.splice(0, over);
}

export function newTally(index: number, atMs: number): Tally {
  return {
    index,
    n: 0,
    firstMs: atMs,
    lastMs: atMs,
    sum: 0,
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
    pick: undefined,
  };
}

/** The bucket's tally, a new one if there is none. Calls mostly come in order, so the search begins at the end. */
function tallyAt(tallies: Tally[], index: number, atMs: number): Tally {
  let place = tallies.length;
  while (place > 0 && (tallies[place - 1]?.index ?? 0) > index) place -= 1;
  const known = tallies[place - 1];
  if (known?.index === index) return known;
  const tally = newTally(index, atMs);
  tallies.splice(place, 0, tally);
  return tally;
}

function isEarlier(a: Pick, b: Pick): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.receivedAtMs < b.receivedAtMs);
}

/** The first of two, or the last; of two that came at the same time, the one that is there (`kept`) is first. */
function better(fn: "first" | "last", kept: Pick | undefined, other: Pick): Pick {
  if (kept === undefined) return other;
  if (fn === "first") return isEarlier(other, kept) ? other : kept;
  return isEarlier(other, kept) ? kept : other;
}

/** A joined bucket lies behind that of a call between, which came late: the order of buckets does not say which is first. */
export function firstOf(tallies: readonly Tally[]): Pick | undefined {
  let first: Pick | undefined;
  for (const { pick } of tallies) if (pick !== undefined) first = better("first", first, pick);
  return first;
}

function pickFnOf({ leaf }: LeafPlan): "first" | "last" | undefined {
  if (leaf.measure.kind !== "reduce") return undefined;
  const { fn } = leaf.measure;
  return fn === "first" || fn === "last" ? fn : undefined;
}

/** Counts one occurrence; of numbers its value, of first and last itself. */
export function addToTallies(tallies: Tally[], pick: Pick, plan: LeafPlan): void {
  const { atMs, value } = pick;
  const tally = tallyAt(tallies, bucketOf(atMs, plan), atMs);
  tally.n += 1;
  tally.firstMs = Math.min(tally.firstMs, atMs);
  tally.lastMs = Math.max(tally.lastMs, atMs);
  if (plan.storage === "numbers" && typeof value === "number") {
    tally.sum += value;
    tally.min = Math.min(tally.min, value);
    tally.max = Math.max(tally.max, value);
  }
  const fn = pickFnOf(plan);
  if (fn !== undefined) tally.pick = better(fn, tally.pick, pick);
}

function mergeTally(into: Tally, from: Tally, fn: "first" | "last" | undefined): void {
  into.n += from.n;
  into.firstMs = Math.min(into.firstMs, from.firstMs);
  into.lastMs = Math.max(into.lastMs, from.lastMs);
  into.sum += from.sum;
  into.min = Math.min(into.min, from.min);
  into.max = Math.max(into.max, from.max);
  if (fn === undefined || from.pick === undefined) return;
  // Of two at the same time the survivor's own stays.
  const isTied =
    into.pick !== undefined && !isEarlier(into.pick, from.pick) && !isEarlier(from.pick, into.pick);
  if (!isTied) into.pick = better(fn, into.pick, from.pick);
}

export function mergeTallies(into: Tally[], from: readonly Tally[], plan: LeafPlan): void {
  const fn = pickFnOf(plan);
  for (const tally of from) mergeTally(tallyAt(into, tally.index, tally.firstMs), tally, fn);
}

/** Joins each bucket with those after it as long as they span no more than `widthMs`. True when there were some. */
export function joinTallies(tallies: Tally[], plan: LeafPlan, widthMs: number): boolean {
  const fn = pickFnOf(plan);
  const before = tallies.length;
  let kept = 0;
  for (const tally of tallies) {
    const last = tallies[kept - 1];
    if (last !== undefined && tally.lastMs - last.firstMs <= widthMs) {
      // Under the later index: until then occurrences of it may come.
      mergeTally(tally, last, fn);
      kept -= 1;
    }
    tallies[kept] = tally;
    kept += 1;
  }
  tallies.length = kept;
  return kept < before;
}

/** Whether the bucket counts now. */
export function counts({ firstMs, lastMs }: Tally, { leaf }: LeafPlan, nowMs: number): boolean {
  const { enterMs, leaveMs } = leaf.window;
  return firstMs + enterMs <= nowMs && nowMs < lastMs + leaveMs;
}

/** The next moment at which a bucket enters or leaves. */
export function talliesUntilMs(tallies: readonly Tally[], { leaf }: LeafPlan, nowMs: number): number {
  const { enterMs, leaveMs } = leaf.window;
  let untilMs = Number.POSITIVE_INFINITY;
  for (const { firstMs, lastMs } of tallies) {
    if (firstMs + enterMs > nowMs) untilMs = Math.min(untilMs, firstMs + enterMs);
    else if (lastMs + leaveMs > nowMs) untilMs = Math.min(untilMs, lastMs + leaveMs);
  }
  return untilMs;
}
