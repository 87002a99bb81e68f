import type { Call } from "#topics";
import { callKey } from "./identity.ts";
import { removals } from "./removals.ts";
import { isOfSpace } from "./space-calls.ts";
import { law, type Written } from "./story.ts";

/**
 * Of a call that stands in the log more than once the first is routed, and no other (contract 1.7): the window is never shorter than a world. A
 * job says when its copy was received. Who makes a window anew does not know a first copy that retention has removed.
 */
export const copiesAreNotRouted = law("a copy of a call is not routed", function* (story) {
  const first = new Map<string, Written<Call>>();
  for (const call of story.calls) if (!first.has(callKey(call.value))) first.set(callKey(call.value), call);
  const { isRemoved } = removals(story);
  const isGiven = isOfSpace(story);
  for (const { process, record, value } of story.jobs) {
    const call = first.get(callKey(value));
    if (isGiven(value) || value.replayId !== null || call === undefined || isRemoved(call)) continue;
    const { partition, offset } = call.record;
    if (value.receivedAtMs !== call.value.receivedAtMs)
      yield `${callKey(value)}: ${record.topic}-${record.partition}-${record.offset}, written by ${process}, is of a later copy than calls-${partition}-${offset}`;
  }
});
