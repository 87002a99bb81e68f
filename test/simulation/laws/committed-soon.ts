import type { Request } from "#testing";
import type { DeliveryJob } from "#topics";
import { commitTimes } from "./commit-times.ts";
import { cuts } from "./cuts.ts";
import { goodTime } from "./good-time.ts";
import { keyAt } from "./identity.ts";
import { isTaken, isUntried, jobEvents } from "./job-events.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

/** A commit follows 0.1 s after the first thing that is done: so a kill doubles what is less than 0.2 s old (decision 18). */
const WITHIN_MS = 200;
/** A job that one webhook has taken is in hand while another one's place is waited for, which may come to nothing (services/deliverer/endpoints/endpoint-queue.ts). */
const WAITS_MS = 2_000;

/** One of its destination's webhooks was not asked since the job was written: requests of before are those of a call that is replayed. */
function hasUnasked(
  { plan }: Story,
  { atMs, value }: Written<DeliveryJob>,
  requests: readonly Request[],
): boolean {
  const { urls = [] } = plan.destinations.find(({ id }) => id === value.destinationId) ?? {};
  return urls.some((each) => requests.every(({ startedAtMs, url }) => url !== each || startedAtMs < atMs));
}

/** What is done is committed soon, whatever else of its partition is not: by the offset, or as done beyond it. */
export const doneIsCommittedSoon = law("what is done is committed soon", function* (story) {
  const good = goodTime(story, "deliverer");
  const committedAtMs = commitTimes(story, { countsLost: true });
  const eventsOf = jobEvents(story);
  const { isRemoved } = removals(story);
  const { isOfCutLog } = cuts(story);
  for (const written of story.jobs) {
    // A retry topic's reader comes to what was woken in due time, and commits it then.
    if (isRemoved(written) || isOfCutLog(written) || !isUntried(written)) continue;
    const { deadAtMs, jobs, requests } = eventsOf(written.value);
    if (requests.some(({ answeredAtMs }) => answeredAtMs === undefined)) continue;
    const lastMs = Math.max(
      ...requests.map(({ answeredAtMs = 0 }) => answeredAtMs),
      ...jobs.map(({ atMs }) => atMs),
      ...deadAtMs,
    );
    const committedMs = Math.min(story.endedAtMs, committedAtMs(written));
    const lateMs = good(Math.min(lastMs, committedMs), committedMs);
    const waitedMs = requests.some(isTaken) && hasUnasked(story, written, requests) ? WAITS_MS : 0;
    if (lateMs > WITHIN_MS + waitedMs)
      yield `${keyAt(written.value, written.value.destinationId)} was done at ${lastMs} ms, and ${written.record.topic}-${written.record.partition}-${written.record.offset} was committed at ${committedMs} ms`;
  }
});
