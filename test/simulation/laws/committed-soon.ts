import { commitTimes } from "./commit-times.ts";
import { cuts } from "./cuts.ts";
import { goodTime } from "./good-time.ts";
import { keyAt } from "./identity.ts";
import { isUntried, jobEvents } from "./job-events.ts";
import { removals } from "./removals.ts";
import { law } from "./story.ts";

/** A commit follows 0.1 s after the first thing that is done: so a kill doubles what is less than 0.2 s old (docs/decisions/0018). */
const WITHIN_MS = 200;
/** A webhook that has no place for the call holds it for up to 2 s, and is not asked then; nothing shows when that was over. */
const WITH_A_WAIT_MS = 3_000;

/** What is done is committed soon, whatever else of its partition is not: by the offset, or as done beyond it. */
export const doneIsCommittedSoon = law("what is done is committed soon", function* (story) {
  const good = goodTime(story, "deliverer");
  const committedAtMs = commitTimes(story, { countsLost: true });
  const eventsOf = jobEvents(story);
  const { isRemoved } = removals(story);
  const { isOfCutLog } = cuts(story);
  const webhooks = new Map(story.plan.destinations.map(({ id, urls }) => [id, urls.length]));
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
    const asked = new Set(requests.map(({ url }) => url)).size;
    const hasAskedAll = asked >= (webhooks.get(written.value.destinationId) ?? 0);
    if (lateMs > (hasAskedAll ? WITHIN_MS : WITH_A_WAIT_MS))
      yield `${keyAt(written.value, written.value.destinationId)} was done at ${lastMs} ms, and ${written.record.topic}-${written.record.partition}-${written.record.offset} was committed at ${committedMs} ms`;
  }
});
