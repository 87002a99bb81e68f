// The value of a computed trait (contract 8.2): count, sum, avg, min, max, most_frequent, first, last, unique, unique_count.
import { parseExactJson } from "#contract";
import type { ReduceFn } from "../definition/definition.ts";
import type { LeafPlan } from "./plan.ts";
import type { Tally, TimedOccurrence } from "./state.ts";
import { counts, firstOf } from "./tallies.ts";

/** Least occurrences of a most frequent value. */
const MIN_FREQUENT = 2;

interface Shown {
  readonly value: unknown;
  readonly text: string;
  readonly json: string;
}

/** By code units of the text; a text goes before a number that reads the same. */
function byText(a: Shown, b: Shown): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return a.json < b.json ? -1 : Number(a.json > b.json);
}

/** The values in their order. */
function inOrder(jsons: readonly string[]): unknown[] {
  const shown = jsons.map((json): Shown => {
    const value: unknown = parseExactJson(json);
    return { value, text: String(value), json };
  });
  return shown.sort(byText).map(({ value }) => value);
}

/** Of values by their JSON text, with how often each occurred. */
export function reduceValues(fn: ReduceFn, found: ReadonlyMap<string, number>): unknown {
  if (fn === "unique_count") return found.size;
  if (fn === "unique") return inOrder([...found.keys()]);
  const most = Math.max(0, ...found.values());
  if (most < MIN_FREQUENT) return null;
  return inOrder([...found.keys()].filter((json) => found.get(json) === most))[0];
}

interface Numbers {
  readonly n: number;
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

function reduceNumbers(fn: ReduceFn, { n, sum, min, max }: Numbers): number | null {
  if (n === 0) return null;
  if (fn === "sum") return sum;
  if (fn === "avg") return sum / n;
  return fn === "min" ? min : max;
}

function total(tallies: readonly Tally[]): Numbers {
  let [n, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const tally of tallies) {
    n += tally.n;
    sum += tally.sum;
    min = Math.min(min, tally.min);
    max = Math.max(max, tally.max);
  }
  return { n, sum, min, max };
}

/** Of the buckets that count now. */
export function reduceTallies(
  fn: ReduceFn,
  tallies: readonly Tally[],
  plan: LeafPlan,
  nowMs: number,
): unknown {
  const counted = tallies.filter((tally) => counts(tally, plan, nowMs));
  if (fn === "first") return firstOf(counted)?.value ?? null;
  if (fn === "last") return counted.at(-1)?.pick?.value ?? null;
  const numbers = total(counted);
  return fn === "count" ? numbers.n : reduceNumbers(fn, numbers);
}

/** Of single occurrences, in the order of their times. */
export function reduceOccurrences(fn: ReduceFn, occurrences: readonly TimedOccurrence[]): unknown {
  if (fn === "count") return occurrences.length;
  if (fn === "first") return occurrences[0]?.value ?? null;
  if (fn === "last") return occurrences.at(-1)?.value ?? null;
  if (fn === "unique" || fn === "unique_count" || fn === "most_frequent") {
    const found = new Map<string, number>();
    for (const { value } of occurrences) {
      const text = JSON.stringify(value);
      found.set(text, (found.get(text) ?? 0) + 1);
    }
    return reduceValues(fn, found);
  }
  const values = occurrences.map(({ value }) => value as number);
  const sum = values.reduce((all, value) => all + value, 0);
  return reduceNumbers(fn, { n: values.length, sum, min: Math.min(...values), max: Math.max(...values) });
}
