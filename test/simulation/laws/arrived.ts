import { type Expectation, expectations } from "./expectations.ts";
import { callKey, keyAt } from "./identity.ts";
import { isTaken, ownersOf } from "./job-events.ts";
import { removals } from "./removals.ts";
import { law, type Story } from "./story.ts";

function arrivedOf(story: Story): Set<string> {
  const ownerOf = ownersOf(story);
  const arrived = new Set<string>();
  for (const request of story.requests) {
    const owner = ownerOf.get(request.url);
    if (isTaken(request) && owner !== undefined) arrived.add(keyAt(request, owner));
  }
  for (const { value } of story.deadLetters) arrived.add(keyAt(value, value.destinationId));
  return arrived;
}

function describe({ call, destination, storedAtMs }: Expectation): string {
  return `${callKey(call)}, stored at ${storedAtMs} ms, is neither delivered to ${destination.id} nor in the dead letters`;
}

/** Its record, or the one of a job of it, was removed unread, and somebody says so. */
export function isLostOf(story: Story): (expectation: Expectation) => boolean {
  const { isLost } = removals(story);
  const calls = new Set(story.calls.filter(isLost).map(({ value }) => callKey(value)));
  const jobs = new Set(story.jobs.filter(isLost).map(({ value }) => keyAt(value, value.destinationId)));
  return ({ call, destination }) => calls.has(callKey(call)) || jobs.has(keyAt(call, destination.id));
}

/** Every call that a client was told is stored is delivered, or in the dead letters; or it is counted as lost to retention. */
export const everyCallArrives = law("every stored call is delivered or a dead letter", (story) => {
  if (story.drainedAtMs === undefined) return [];
  const arrived = arrivedOf(story);
  const isLost = isLostOf(story);
  return expectations(story)
    .filter(({ call, destination }) => !arrived.has(keyAt(call, destination.id)))
    .filter((expectation) => !isLost(expectation))
    .map(describe);
});
