import type { RoutedCall } from "#topics";
import { cuts } from "./cuts.ts";
import { callKey, keyAt, type OfCall } from "./identity.ts";
import { passedBy } from "./passed.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

const ROUTERS = "webhook-router";

const placeOf = ({ partition, offset }: { readonly partition: number; readonly offset: number }) =>
  `${partition} ${offset}`;

/** Where routers record what becomes of calls, no commit passes a call of which nothing is recorded. */
export const noCommitPassesUnrecorded = law(
  "no commit passes a call that is not recorded",
  function* (story) {
    if (!story.plan.recordsCalls) return;
    const calls = new Map(story.calls.map((call) => [placeOf(call.record), call]));
    const recordedAt = firstPlaces(story.routedCalls);
    const { isLost } = removals(story);
    const { isInAnothersPlace } = cuts(story);
    const committed = new Map<number, number>();
    for (const [place, happening] of story.happenings.entries()) {
      if (happening.kind !== "committed" || happening.groupId !== ROUTERS) continue;
      const { partition } = happening.partition;
      for (const offset of passedBy(happening, committed.get(partition) ?? 0)) {
        const key = placeOf({ partition, offset });
        const call = calls.get(key);
        const isRecorded = (recordedAt.get(key) ?? Number.POSITIVE_INFINITY) < place;
        if (call !== undefined && !isRecorded && !isLost(call) && !isInAnothersPlace(call))
          yield `${happening.process} commits ${happening.offset} of calls-${partition} at ${happening.atMs} ms, past ${offset}: ${callKey(call.value)}`;
      }
      committed.set(partition, Math.max(committed.get(partition) ?? 0, happening.offset));
    }
  },
);

/** Places in the history, by the place of the call. */
function firstPlaces(routedCalls: readonly Written<RoutedCall>[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const { place, value } of routedCalls) {
    const key = placeOf(value);
    places.set(key, Math.min(place, places.get(key) ?? place));
  }
  return places;
}

/**
 * A call was sent to whom its record names, and to nobody else. A call that was routed twice after a crash may have been routed otherwise the
 * second time, when somebody has changed a destination, or not at all, when retention has removed it: such ones are left out.
 */
export const recordsAreTrue = law("what is recorded of a call is so", function* (story) {
  const steady = steadyDestinations(story);
  const { isRemoved } = removals(story);
  const removed = new Set(story.calls.filter(isRemoved).map(({ value }) => callKey(value)));
  const isMeant = (call: OfCall, destinationId: string) =>
    steady.has(destinationId) && !removed.has(callKey(call));
  const jobs = new Set<string>();
  for (const { value } of story.jobs)
    if (value.replayId === null && isMeant(value, value.destinationId))
      jobs.add(keyAt(value, value.destinationId));
  const named = new Set<string>();
  for (const { value } of story.routedCalls)
    for (const id of value.destinationIds) if (isMeant(value, id)) named.add(keyAt(value, id));
  for (const each of named) if (!jobs.has(each)) yield `${each} has no job, and is recorded as sent`;
  if (!story.plan.recordsCalls) return;
  for (const each of jobs) if (!named.has(each)) yield `${each} has a job, and is not recorded as sent`;
});

function steadyDestinations({ happenings }: Story): ReadonlySet<string> {
  const written = Map.groupBy(
    happenings.filter((happening) => happening.kind === "configured"),
    ({ destination }) => destination.id,
  );
  return new Set([...written].filter(([, versions]) => versions.length === 1).map(([id]) => id));
}
