import { SPACE_SOURCE } from "#contract";
import { callKey, type OfCall } from "./identity.ts";
import { onceOf } from "./story.ts";

/**
 * Whether it is a call of audiences. Control gives a destination that is connected later what others were told before, under the same id, and
 * what laws say of a call's order and copies does not hold of those.
 */
export const isOfSpace = onceOf(({ jobs }) => {
  const found = new Set(jobs.flatMap(({ value }) => (value.sourceId === SPACE_SOURCE ? callKey(value) : [])));
  return (call: OfCall): boolean => found.has(callKey(call));
});
