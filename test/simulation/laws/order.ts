import type { Request } from "#testing";
import { EPOCH_MS } from "#testing/host";
import { cuts } from "./cuts.ts";
import { callKey, keyAt, type OfCall } from "./identity.ts";
import { isUntried } from "./job-events.ts";
import { dropsOf } from "./regulations.ts";
import { removals } from "./removals.ts";
import { isOfSpace } from "./space-calls.ts";
import { law, type Story } from "./story.ts";

/** Faults that keep processes from writing to Kafka. */
const HINDERING: ReadonlySet<string> = new Set(["broker", "cut", "leaders"]);

/**
 * When the order was first given up for a job: it was put off, as its endpoint was full or down (decision 10) or its destination
 * paused (decision 72), or it ended as a dead
 * letter. Who reads it once more after a kill may ask its webhook then: a destination that was switched off may be on again.
 */
function putOff({ deadLetters, jobs }: Story): Map<string, number> {
  const firstAtMs = new Map<string, number>();
  const note = (key: string, atMs: number): void => {
    firstAtMs.set(key, Math.min(atMs, firstAtMs.get(key) ?? atMs));
  };
  for (const job of jobs) {
    const { atMs, value } = job;
    if (isUntried(job) && value.replayId === null) continue;
    note(keyAt(value, value.destinationId), atMs);
  }
  for (const { atMs, value } of deadLetters)
    if (value.messageId !== null) note(keyAt(value, value.destinationId), atMs);
  return firstAtMs;
}

type Job = Story["jobs"][number];

interface FollowedJob {
  readonly job: Job | undefined;
  /** Retention had removed the first one: the call, or a copy of it, was routed once more, behind calls that came after it. */
  readonly isOfSecondRouting: boolean;
}

/** Which record of its job a request follows: the first one, or that of a second routing where retention had removed the first one by then. */
function jobFinder(story: Story): (request: Request, key: string) => FollowedJob {
  const { isRemovedBy } = removals(story);
  const byKey = Map.groupBy(story.jobs, ({ value }) => keyAt(value, value.destinationId));
  return ({ startedAtMs }, key) => {
    const jobs = byKey.get(key) ?? [];
    const left = jobs.find((job) => job.atMs <= startedAtMs && !isRemovedBy(startedAtMs, job));
    return { job: left ?? jobs[0], isOfSecondRouting: left !== undefined && left !== jobs[0] };
  };
}

/**
 * Whether its destination was changed between the call's acceptance and its job: it may have been routed twice, and to this destination only
 * the second time, behind calls that came after it (contract 3.6).
 */
function isRoutedAnew({ calls, happenings }: Story, job: Job | undefined): boolean {
  if (job === undefined) return false;
  const { destinationId } = job.value;
  const accepted = calls.find(({ value }) => callKey(value) === callKey(job.value));
  const acceptedAtMs = accepted?.atMs ?? 0;
  // Whoever made it may hear of that late, and it is there before.
  const made = happenings.find(
    (each) =>
      each.kind === "appended" &&
      each.record.topic === "destination-config" &&
      each.record.key === destinationId,
  );
  if (made !== undefined && made.atMs > acceptedAtMs && made.atMs <= job.atMs) return true;
  return happenings.some(
    (happening) =>
      happening.kind === "configured" &&
      happening.destination.id === destinationId &&
      happening.atMs >= acceptedAtMs &&
      happening.atMs <= job.atMs,
  );
}

/**
 * Whether the router of the later call may have dropped this one, as it names a suppressed user (contract 5.2), and another one did not know of that:
 * who was cut off takes the partition for its own for half a session more (decision 16). Whether it may be sent at all another law asks.
 */
function isDroppedElsewhere(story: Story, job: Job | undefined, latestJob: Job | undefined): boolean {
  if (job === undefined || job.process === latestJob?.process) return false;
  const { atMs, value } = job;
  return dropsOf(story)(value).some(
    ({ fromMs, untilMs }) => fromMs <= atMs && value.receivedAtMs < EPOCH_MS + untilMs,
  );
}

/** Whether a record of the call was removed that somebody says is unread: who read it all the same, and wrote its job late, is not known. */
function isCopyUnsure(story: Story, ...of: readonly OfCall[]): boolean {
  const { isLost } = removals(story);
  const { isOfCutLog } = cuts(story);
  const copiesOf = (call: OfCall) => story.calls.filter(({ value }) => callKey(value) === callKey(call));
  return of.map(copiesOf).some((copies) => copies.some((copy) => isLost(copy) || isOfCutLog(copy)));
}

/** Kafka refuses some writes for good; then a call is routed once more, and its job stands behind those of calls that came after it. */
export function isRefusing({ plan }: Story): boolean {
  return plan.faults.some(
    (fault) => fault.kind === "requests" && fault.what === "produce" && fault.how === "rejected",
  );
}

/**
 * Whether a job may have been read, or begun, a second time: its process was disturbed since the job was written, or another one has asked
 * a webhook of it before. The first time one webhook was full or down; what that cost is nowhere written when another one took the call
 * (a job that is given back waits until its last webhook gives it up), or when Kafka could not be written to.
 */
function isBegunAgain(
  request: Request,
  { job, siblings, story }: { job: Job | undefined; siblings: readonly Request[]; story: Story },
): boolean {
  const { process, startedAtMs } = request;
  if (siblings.some((sibling) => sibling.process !== process && sibling.startedAtMs < startedAtMs))
    return true;
  return story.happenings.some(
    (happening) =>
      happening.kind === "disturbed" &&
      happening.process === process &&
      happening.atMs >= (job?.atMs ?? 0) &&
      happening.atMs <= startedAtMs,
  );
}

/** Whether something kept the deliverer from writing to Kafka meanwhile: what it had put off may be written nowhere when its process goes. */
function isWritingHindered({ plan }: Story, fromMs: number, toMs: number): boolean {
  return plan.faults.some((fault) => {
    const { atMs, forMs, kind } = fault;
    const hinders = kind === "requests" ? fault.what === "produce" : HINDERING.has(kind);
    return hinders && atMs <= toMs && atMs + forMs >= fromMs;
  });
}

/**
 * Whether the endpoint was in trouble. Its order is given up then: what looks whether it is well again waits neither for a place nor for a
 * destination's limit, and what is put off before its turn stands in no retry topic while another webhook of its destination is asked.
 */
function isOfTrouble({ behaviour }: Request): boolean {
  return behaviour !== "well" && behaviour !== "slow" && behaviour !== "rejecting";
}

/** What found the endpoint well again: the first request of its process after one that met trouble. */
function probesOf(requests: readonly Request[]): ReadonlySet<Request> {
  const lastOf = new Map<string, Request>();
  return new Set(
    requests.filter((request) => {
      const lane = `${request.process} ${request.url}`;
      const last = lastOf.get(lane);
      lastOf.set(lane, request);
      return last !== undefined && isOfTrouble(last);
    }),
  );
}

function firstRequests(requests: readonly Request[]): Map<string, Request[]> {
  const seen = new Set<string>();
  const firsts = requests.filter((request) => {
    const key = keyAt(request, request.url);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
  return Map.groupBy(firsts, ({ url, userId }) => `${url} ${userId}`);
}

/**
 * Of the calls' log: the place of each call's first record. A copy that the client sent again stands for one that retention removed
 * before it was routed.
 */
function placesOf(story: Story): Map<string, number> {
  const { isLost } = removals(story);
  const routedAtMs = new Map<string, number>();
  for (const { atMs, value } of story.jobs)
    routedAtMs.set(callKey(value), Math.min(atMs, routedAtMs.get(callKey(value)) ?? atMs));
  const places = new Map<string, number>();
  for (const [call, copies] of Map.groupBy(story.calls, ({ value }) => callKey(value))) {
    const routedMs = routedAtMs.get(call) ?? Number.POSITIVE_INFINITY;
    const routed = copies.find((copy, index) => !isLost(copy) || routedMs <= (copies[index + 1]?.atMs ?? 0));
    places.set(call, (routed ?? copies[0])?.record.offset ?? 0);
  }
  return places;
}

/** The first attempts of one user's calls begin in the order of their log. */
export const firstAttemptsKeepOrder = law("one user's first attempts stay in order", function* (story) {
  const placeOf = placesOf(story);
  const ownerOf = new Map(
    story.plan.destinations.flatMap((destination) =>
      destination.urls.map((url) => [url, destination] as const),
    ),
  );
  const jobOf = (request: Request): string => keyAt(request, ownerOf.get(request.url)?.id);
  const hasSiblings = ({ url }: Request): boolean => (ownerOf.get(url)?.urls.length ?? 0) > 1;
  const putOffAtMs = putOff(story);
  const findJob = jobFinder(story);
  const probes = probesOf(story.requests);
  const ofJob = Map.groupBy(story.requests, jobOf);
  const isGiven = isOfSpace(story);
  for (const [who, firsts] of firstRequests(story.requests)) {
    let latest: Request | undefined;
    for (const request of firsts) {
      const key = jobOf(request);
      // Of calls without a user id nobody is told apart.
      if (isGiven(request) || request.userId === null) continue;
      // A destination that has not got the call itself may get it by a replay, at any time.
      if (findJob(request, key).job?.value.replayId) continue;
      const offAtMs = putOffAtMs.get(key);
      if (offAtMs !== undefined && offAtMs <= request.startedAtMs) continue;
      if (isOfTrouble(request) || probes.has(request)) continue;
      const place = placeOf.get(callKey(request)) ?? 0;
      if (latest === undefined || place >= (placeOf.get(callKey(latest)) ?? 0)) {
        latest = request;
        continue;
      }
      const { isOfSecondRouting, job } = findJob(request, key);
      const { job: latestJob } = findJob(latest, jobOf(latest));
      // It is read again, or for the first time, after its log was cut.
      if (job !== undefined && cuts(story).isOfCutLog(job)) continue;
      const isBehind = (job?.place ?? 0) > (latestJob?.place ?? 0);
      const mayBeBehind =
        isOfSecondRouting ||
        isRefusing(story) ||
        isRoutedAnew(story, job) ||
        isDroppedElsewhere(story, job, latestJob) ||
        isCopyUnsure(story, request, latest);
      if (isBehind && mayBeBehind) continue;
      const begun = { job, siblings: ofJob.get(key) ?? [], story };
      const mayBePutOff =
        hasSiblings(request) || isWritingHindered(story, job?.atMs ?? 0, request.startedAtMs);
      if (mayBePutOff && isBegunAgain(request, begun)) continue;
      yield `${who}: ${request.messageId} at ${request.startedAtMs} ms comes after ${latest.messageId} at ${latest.startedAtMs} ms`;
    }
  }
});
