import type { DeadLetterReason } from "#contract";
import type { DeadLetter } from "#topics";
import { callKey, keyAt } from "./identity.ts";
import { law, type Story, type Written } from "./story.ts";

interface Explanation {
  /** Whether what is known of the world explains the letter. */
  readonly holds: (letter: DeadLetter, story: Story) => boolean;
  /** What is known, where it does not. */
  readonly otherwise: string;
}

const NEVER: Explanation = { holds: () => false, otherwise: "that is never right here" };
const TOUCHED: Explanation = { holds: wasTouched, otherwise: "nobody has touched the destination" };

const EXPLANATIONS: Readonly<Record<DeadLetterReason, Explanation>> = {
  permanent: { holds: wasRejected, otherwise: "no endpoint of it has refused the call for good" },
  not_asked: { holds: wasIll, otherwise: "its endpoints were well all the time" },
  window_over: { holds: hasFailed, otherwise: "no request for it has failed" },
  destination_gone: TOUCHED,
  destination_disabled: TOUCHED,
  destination_paused: { holds: wasPaused, otherwise: "nobody has paused the destination for so long" },
  undecodable: NEVER,
  handler_failed: NEVER,
};

/** A sentence when the letter is not explained. */
function unexplained({ value, record }: Written<DeadLetter>, story: Story): string | undefined {
  const { destinationId, message, reason } = value;
  const { holds, otherwise } = EXPLANATIONS[reason as DeadLetterReason] ?? NEVER;
  if (holds(value, story)) return undefined;
  const place = `dead-letters-${record.partition}-${record.offset}`;
  return `${reason} for ${keyAt(value, destinationId)} (${place}): ${otherwise} (${message})`;
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
  const isFailure = ({ status = 0 }) => status < 200 || status >= 300;
  return letter.attempts > 0 && requestsFor(letter, story).some(isFailure);
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
