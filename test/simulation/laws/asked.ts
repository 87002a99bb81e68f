import { type Expectation, expectations } from "./expectations.ts";
import { law, type Story } from "./story.ts";

const key = (messageId: string, url: string): string => `${messageId} ${url}`;

/** Webhooks whose endpoints were well all the time: no breaker has a reason to keep a call from them. */
function wellUrls({ plan }: Story): ReadonlySet<string> {
  return new Set(plan.scripts.filter(({ phases }) => phases.length === 0).map(({ url }) => url));
}

function unasked(story: Story): (expectation: Expectation) => string[] {
  const asked = new Set(story.requests.map(({ messageId, url }) => key(messageId, url)));
  const isWell = wellUrls(story);
  return ({ call, destination }) =>
    destination.urls
      .filter((url) => isWell.has(url) && !asked.has(key(call.messageId, url)))
      .map(
        (url) => `${call.messageId} of ${call.userId} was never sent to ${url}, which was well all the time`,
      );
}

/** A call that one webhook of a destination took was sent to the others too (contract 3.2), but to those that were ill. */
export const everyWebhookIsAsked = law("every well webhook is asked for every call", (story) => {
  if (story.drainedAtMs === undefined) return [];
  const touched = new Set(story.plan.changes.map(({ destinationId }) => destinationId));
  const taken = new Set(
    story.requests
      .filter(({ status = 0 }) => status >= 200 && status < 300)
      .map(({ messageId }) => messageId),
  );
  return expectations(story)
    .filter(
      ({ call, destination }) =>
        destination.urls.length > 1 && !touched.has(destination.id) && taken.has(call.messageId),
    )
    .flatMap(unasked(story));
});
