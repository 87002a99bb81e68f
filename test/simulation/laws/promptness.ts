import { EPOCH_MS } from "#testing/host";
import type { DeliveryJob } from "#topics";
import { goodTime } from "./good-time.ts";
import { keyAt } from "./identity.ts";
import { isTaken, jobEvents } from "./job-events.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

/** Of time in which nothing hinders the deliverers. */
const WITHIN_MS = 20_000;

/** By the clock of who wrote it; undefined where that clock was set about then. */
function dueAtMs({ plan }: Story, { atMs, process, value }: Written<DeliveryJob>): number | undefined {
  if (value.dueAtMs === 0) return atMs;
  const isSet = plan.faults.some(
    (fault) =>
      fault.kind === "clock" &&
      fault.target === process &&
      fault.atMs <= atMs &&
      atMs <= fault.atMs + fault.forMs + WITHIN_MS,
  );
  const { skewMs = 0 } = plan.processes.find(({ name }) => name === process) ?? {};
  return isSet ? undefined : Math.max(atMs, value.dueAtMs - EPOCH_MS - skewMs);
}

/** When somebody did something about a job after its record was written: asked a webhook, wrote what became of it; or it had come further, or ended, before. */
function takenUpAtMs(events: ReturnType<ReturnType<typeof jobEvents>>, written: Written<DeliveryJob>) {
  const { atMs, place, value } = written;
  const stepsOf = ({ attempts, diverts }: DeliveryJob): number => attempts + diverts;
  // A copy of a second routing ends with the one that stands further on.
  const hadEnded =
    events.jobs.some((job) => job.place < place && stepsOf(job.value) > stepsOf(value)) ||
    events.requests.some((request) => isTaken(request) && (request.answeredAtMs ?? 0) <= atMs) ||
    events.deadAtMs.some((deadAtMs) => deadAtMs <= atMs);
  if (hadEnded) return atMs;
  const times = [
    // A copy of a job in hand ends with it.
    ...events.requests.flatMap(({ answeredAtMs = 0, startedAtMs }) => [startedAtMs, answeredAtMs]),
    ...events.deadAtMs,
    ...events.jobs.flatMap((job) => (job.place > place ? job.atMs : [])),
  ];
  return Math.min(...times.filter((each) => each >= atMs));
}

/** A job is asked for, put off once more, or ended soon after it is due. */
export const jobsAreTakenUpInTime = law("a job is taken up soon after it is due", function* (story) {
  const good = goodTime(story, "deliverer");
  const eventsOf = jobEvents(story);
  const { isRemoved } = removals(story);
  for (const written of story.jobs) {
    const dueMs = dueAtMs(story, written);
    if (dueMs === undefined || isRemoved(written)) continue;
    const takenUpMs = Math.min(story.endedAtMs, takenUpAtMs(eventsOf(written.value), written));
    const lateMs = good(Math.min(dueMs, takenUpMs), takenUpMs);
    if (lateMs <= WITHIN_MS) continue;
    yield `${keyAt(written.value, written.value.destinationId)}, due at ${dueMs} ms by ${written.record.topic}-${written.record.partition}-${written.record.offset}, was taken up at ${takenUpMs} ms, ${lateMs} ms late`;
  }
});
