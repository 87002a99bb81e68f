import { EPOCH_MS } from "#testing/host";
import type { DeliveryJob } from "#topics";
import { isLostOf } from "./arrived.ts";
import { commitTimes } from "./commit-times.ts";
import { type Expectation, expectations } from "./expectations.ts";
import { callKey, keyAt } from "./identity.ts";
import { isTaken } from "./job-events.ts";
import { law, type Story, type Written } from "./story.ts";
import { aheadMs } from "./waiting.ts";

/** An attempt's answer has to fit in the window: so much of a window as short as those here is left for it. */
const MARGIN_OF_WINDOW = 0.01;

/** By call and webhook: of all requests, and of those that took the call. */
function requestsOf({ requests }: Story) {
  const took = requests.filter(isTaken);
  const keysOf = (some: Story["requests"]) => new Set(some.map((request) => keyAt(request, request.url)));
  return { asked: keysOf(requests), took: keysOf(took) };
}

/** Webhooks whose endpoints were well all the time: no breaker has a reason to keep a call from them. */
function wellUrls({ plan }: Story): ReadonlySet<string> {
  return new Set(plan.scripts.filter(({ phases }) => phases.length === 0).map(({ url }) => url));
}

/**
 * Whether a job that waited for a webhook's place was done with when its window left no room for another wait (decision 71). When
 * it was looked at last nobody sees: before its commit.
 */
function hasWindowEnded(story: Story): (job: Written<DeliveryJob>) => boolean {
  const committedAtMs = commitTimes(story, { countsLost: true });
  const { destinations, processes, timing } = story.plan;
  const mostAheadMs = Math.max(0, ...processes.map(({ name }) => aheadMs(story.plan, name)));
  return (job) => {
    const { destinationId, firstAttemptAtMs, lastChanceUntilMs, pausedMs } = job.value;
    const own = destinations.find(({ id }) => id === destinationId)?.retryWindowMs;
    const windowMs = own ?? timing.retryWindowMs;
    const endsAtMs = Math.max((firstAttemptAtMs ?? 0) + pausedMs + windowMs, lastChanceUntilMs ?? 0);
    const roomUntilMs = endsAtMs - windowMs * MARGIN_OF_WINDOW - Math.min(...timing.retryDelaysMs);
    return EPOCH_MS + committedAtMs(job) + mostAheadMs > roomUntilMs;
  };
}

/** By call and webhook: what waited for its place until the window was over, alone or with the others that were asked. */
function tooLateOf(story: Story): ReadonlySet<string> {
  const hasEnded = hasWindowEnded(story);
  const inOrder = story.jobs.toSorted((one, other) => one.place - other.place);
  const last = new Map(inOrder.map((job) => [job.value.jobId, job]));
  const waited = [...last.values()].filter((job) => unaskedOf(job.value).length > 0 && hasEnded(job));
  return new Set(waited.flatMap(({ value }) => unaskedOf(value).map((url) => keyAt(value, url))));
}

function unaskedOf({ outcomes, unaskedUrls }: DeliveryJob): readonly string[] {
  if (unaskedUrls.length > 0) return unaskedUrls;
  return outcomes.flatMap(({ reason, url }) => (reason === "diverted" ? url : []));
}

function unasked(story: Story): (expectation: Expectation) => string[] {
  const { asked, took } = requestsOf(story);
  const well = wellUrls(story);
  const tooLate = tooLateOf(story);
  return ({ call, destination: { urls } }) => {
    if (!urls.some((url) => took.has(keyAt(call, url)))) return [];
    return urls
      .filter((url) => well.has(url) && !asked.has(keyAt(call, url)) && !tooLate.has(keyAt(call, url)))
      .map((url) => `${callKey(call)} was never sent to ${url}, which was well all the time`);
  };
}

/**
 * A call that one webhook of a destination took was sent to the others too (contract 3.2), but to those that were ill or had no place for
 * it until its window was over, and but for a call whose job was removed unread while it waited for the others.
 */
export const everyWebhookIsAsked = law("every well webhook is asked for every call", (story) => {
  if (story.drainedAtMs === undefined) return [];
  const { changes, wishes } = story.plan;
  const touched = new Set(
    [...changes, ...wishes.filter(({ kind }) => kind !== "retry")].map(({ destinationId }) => destinationId),
  );
  const isLost = isLostOf(story);
  return expectations(story)
    .filter((expectation) => !touched.has(expectation.destination.id) && !isLost(expectation))
    .flatMap(unasked(story));
});
