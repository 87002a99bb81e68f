import type { DeadLetter } from "#topics";
import { callKey, keyAt } from "./identity.ts";
import { law, type Story, type Written } from "./story.ts";

/** Whether what is known of the world explains the letter; a sentence when it does not. */
function unexplained({ value, record }: Written<DeadLetter>, story: Story): string | undefined {
  const { attempts, destinationId, reason } = value;
  const say = (why: string): string =>
    `${reason} for ${keyAt(value, destinationId)} (dead-letters-${record.partition}-${record.offset}): ${why}`;
  switch (reason) {
    case "permanent":
      return wasRejected(value, story) ? undefined : say("no endpoint of it has refused the call for good");
    case "not_asked":
      return wasIll(value, story) ? undefined : say("its endpoints were well all the time");
    case "window_over":
      if (attempts === 0) return say("nobody was ever asked");
      return hasFailed(value, story) ? undefined : say("no request for it has failed");
    case "destination_gone":
    case "destination_disabled":
      return wasTouched(value, story) ? undefined : say("nobody has touched the destination");
    case "destination_paused":
      return wasPaused(value, story) ? undefined : say("nobody has paused the destination for so long");
    default:
      return say(`that is never right here (${value.message})`);
  }
}

function requestsFor(letter: DeadLetter, { plan, requests }: Story) {
  const urls = plan.destinations.find(({ id }) => id === letter.destinationId)?.urls ?? [];
  return requests.filter((request) => callKey(request) === callKey(letter) && urls.includes(request.url));
}

function wasRejected(letter: DeadLetter, story: Story): boolean {
  return requestsFor(letter, story).some(
    ({ status = 0 }) => status >= 300 && status < 500 && status !== 429 && status !== 408,
  );
}

function hasFailed(letter: DeadLetter, story: Story): boolean {
  return requestsFor(letter, story).some(({ status = 0 }) => status < 200 || status >= 300);
}

/** One of its endpoints had a bad time, or a limit of its own. */
function wasIll({ destinationId }: DeadLetter, { plan }: Story): boolean {
  const destination = plan.destinations.find(({ id }) => id === destinationId);
  const isLimited =
    destination !== undefined && (destination.maxRequestsPerSecond ?? destination.maxInFlight) !== null;
  return (
    isLimited ||
    plan.scripts.some(({ phases, url }) => phases.length > 0 && destination?.urls.includes(url) === true)
  );
}

/** Another than the first configuration was written. */
function wasTouched({ destinationId }: DeadLetter, { happenings }: Story): boolean {
  const written = happenings.filter(
    (each) => each.kind === "configured" && each.destination.id === destinationId,
  );
  return written.length > 1;
}

/** For longer than its calls may wait, which they may only where a pause or the window is short. */
function wasPaused({ destinationId }: DeadLetter, { plan }: Story): boolean {
  const { retryWindowMs } = plan.timing;
  const { retryWindowMs: windowMs = retryWindowMs } =
    plan.destinations.find(({ id }) => id === destinationId) ?? {};
  return plan.wishes.some(
    (wish) =>
      wish.kind === "pause" &&
      wish.destinationId === destinationId &&
      (wish.callsWaitForMs ?? windowMs) < plan.timing.endMs,
  );
}

/** A dead letter says why, and the endpoint's script or the configuration shows that it is so. */
export const everyReasonHolds = law("every dead letter's reason holds", (story) =>
  story.deadLetters.flatMap((letter) => unexplained(letter, story) ?? []),
);
