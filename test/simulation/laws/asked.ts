import { isLostOf } from "./arrived.ts";
import { type Expectation, expectations } from "./expectations.ts";
import { callKey, keyAt } from "./identity.ts";
import { law, type Story } from "./story.ts";

/** By call and webhook: of all requests, and of those that took the call. */
function requestsOf({ requests }: Story) {
  const took = requests.filter(({ status = 0 }) => status >= 200 && status < 300);
  const keysOf = (some: Story["requests"]) => new Set(some.map((request) => keyAt(request, request.url)));
  return { asked: keysOf(requests), took: keysOf(took) };
}

/** Webhooks whose endpoints were well all the time: no breaker has a reason to keep a call from them. */
function wellUrls({ plan }: Story): ReadonlySet<string> {
  return new Set(plan.scripts.filter(({ phases }) => phases.length === 0).map(({ url }) => url));
}

function unasked(story: Story): (expectation: Expectation) => string[] {
  const { asked, took } = requestsOf(story);
  const well = wellUrls(story);
  return ({ call, destination: { urls } }) => {
    if (!urls.some((url) => took.has(keyAt(call, url)))) return [];
    return urls
      .filter((url) => well.has(url) && !asked.has(keyAt(call, url)))
      .map((url) => `${callKey(call)} was never sent to ${url}, which was well all the time`);
  };
}

/**
 * A call that one webhook of a destination took was sent to the others too (contract 3.2), but to those that were ill, and but for a call
 * whose job was removed unread while it waited for the others.
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
