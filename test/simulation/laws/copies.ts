import type { Call } from "#topics";
import { cuts } from "./cuts.ts";
import { callKey } from "./identity.ts";
import { removals } from "./removals.ts";
import { isOfSpace } from "./space-calls.ts";
import { law, type Written } from "./story.ts";

/**
 * Of a call that stands in the log more than once the first is routed, and no other (contract 1.7): the window is never shorter than a world. A
 * job says when its copy was received. Who makes a window anew does not know a first copy that retention has removed. Nor is a first copy known to a
 * router whose disk has a window of before its log was cut, while another router has noted what stands there now: it takes that for noted.
 */
export const copiesAreNotRouted = law("a copy of a call is not routed", function* (story) {
  const first = new Map<string, Written<Call>>();
  for (const call of story.calls) if (!first.has(callKey(call.value))) first.set(callKey(call.value), call);
  const { isRemoved } = removals(story);
  const { isInAnothersPlace } = cuts(story);
  const routers = new Map<string, Set<string>>();
  for (const { process, value } of story.jobs) {
    const copy = `${callKey(value)} ${value.receivedAtMs}`;
    routers.set(copy, (routers.get(copy) ?? new Set()).add(process));
  }
  const isGiven = isOfSpace(story);
  for (const { process, record, value } of story.jobs) {
    const call = first.get(callKey(value));
    if (isGiven(value) || value.replayId !== null || call === undefined || isRemoved(call)) continue;
    const { partition, offset } = call.record;
    const hasRoutedFirst = routers.get(`${callKey(value)} ${call.value.receivedAtMs}`)?.has(process) === true;
    if (isInAnothersPlace(call) && !hasRoutedFirst) continue;
    if (value.receivedAtMs !== call.value.receivedAtMs)
      yield `${callKey(value)}: ${record.topic}-${record.partition}-${record.offset}, written by ${process}, is of a later copy than calls-${partition}-${offset}`;
  }
});
