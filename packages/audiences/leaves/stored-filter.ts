// Filters of destinations, read once for each version of a destination.

import {
  isAlwaysSent,
  type PassedOverReason,
  parseExactJson,
  type Selection,
  whyNotSelected,
} from "#contract";
import type { Call, DestinationConfig } from "#topics";
import { type CallFilter, parseCallFilter } from "../definition/call-filter.ts";
import { passesFilter } from "./call-filter.ts";

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

type CallToTake = Pick<Call, "type" | "event" | "integrations" | "body">;

/** Why routers would not give the call to a destination that is connected and on; undefined: they would. A filter may take 5 ms (decision 114). */
export function whyNotTaken(
  call: CallToTake,
  destination: Selection & Filtered,
): PassedOverReason | undefined {
  const reason = whyNotSelected(call, destination);
  if (reason !== undefined || isAlwaysSent(call)) return reason;
  const filter = filterOf(destination);
  if (filter === undefined) return undefined;
  return passesFilter(filter, parseExactJson(call.body.toString())) ? undefined : "filter_off";
}
