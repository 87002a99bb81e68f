// Filters of destinations, read once for each version of a destination.
import type { DestinationConfig } from "#topics";
import { type CallFilter, parseCallFilter } from "../definition/call-filter.ts";

type Filtered = Pick<DestinationConfig, "filter">;

/** By the very object, which the table replaces with each change. */
const read = new WeakMap<Filtered, CallFilter>();

/** Throws for what control would not have let through. */
export function filterFrom(text: string): CallFilter {
  const reading = parseCallFilter(JSON.parse(text));
  if (reading.ok) return reading.definition;
  const [problem] = reading.problems;
  throw new RangeError(`a destination's filter cannot be read: ${problem?.path} ${problem?.message}`);
}

/** undefined: every call passes. */
export function filterOf(destination: Filtered): CallFilter | undefined {
  if (destination.filter === null) return undefined;
  const known = read.get(destination);
  if (known !== undefined) return known;
  const filter = filterFrom(destination.filter);
  read.set(destination, filter);
  return filter;
}
