import { SPACE_SOURCE } from "#contract";
import { callKey, type OfCall } from "./identity.ts";
import type { Story } from "./story.ts";

const known = new WeakMap<Story, ReadonlySet<string>>();

/**
 * Whether it is a call of audiences. Control gives a destination that is connected later what others were told before, under the same id, and
 * what laws say of a call's order and copies does not hold of those.
 */
export function isOfSpace(story: Story): (call: OfCall) => boolean {
  const found =
    known.get(story) ??
    new Set(story.jobs.flatMap(({ value }) => (value.sourceId === SPACE_SOURCE ? callKey(value) : [])));
  known.set(story, found);
  return (call) => found.has(callKey(call));
}
