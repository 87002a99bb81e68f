// What the API does with a destination's waiting calls, whoever asks.
import { ChosenCalls, type DeliveryJob, type DestinationConfig, EVERY_CALL, type RetryChoice } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { ProblemError } from "../../http/problem.ts";
import { readUser } from "../../http/user-fields.ts";
import { oncePer } from "../../records/change-queue.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { paused, resumed } from "../../resources/destinations/pause.ts";
import { findWaiting } from "./find.ts";
import type { WaitingParts } from "./parts.ts";

export interface Whose {
  readonly id: string;
  readonly by: Actor;
}

type Change = (before: DestinationConfig, made: { readonly nowMs: number }) => DestinationConfig;

/** `limit`: how long each call may wait, as a duration; null is the window of retries. Durable when it resolves; deliverers act on it within a second. */
export function pauseDestination(
  parts: WaitingParts,
  whose: Whose,
  limit: string | null | undefined,
): Promise<DestinationConfig> {
  return change(parts, whose, (before, made) => paused(before, limit, made));
}

/** Durable when it resolves. Rejects with a 409 where nothing is paused. */
export function resumeDestination(parts: WaitingParts, whose: Whose): Promise<DestinationConfig> {
  const make: Change = (before, made) => resumed(resumable(before), made);
  // Of another pause than before, the one that was asked for may be done already.
  const ask = oncePer(() =>
    parts.retryRequests.ask({ destinationId: whose.id, kind: "retry", ...EVERY_CALL, found: null }),
  );
  return change(parts, whose, make, ({ pausedAtMs }) => ask(pausedAtMs));
}

/** Throws a 409. */
export function resumable(destination: DestinationConfig): DestinationConfig {
  if (destination.pausedAtMs === null) throw new ProblemError("conflict", "the destination is not paused");
  return destination;
}

/** `ask` comes before the change, and means nothing without it. */
async function change(
  { changes, destinations, nowMs, telemetry, ...parts }: WaitingParts,
  { id, by }: Whose,
  make: Change,
  ask?: (before: DestinationConfig) => Promise<void>,
): Promise<DestinationConfig> {
  const after = await changes.run(async () => {
    const before = existingDestination({ ...parts, destinations }, id);
    const made = make(before, { nowMs: nowMs() });
    await ask?.(before);
    await destinations.replace({ before, after: made, by });
    return made;
  });
  telemetry.changed("destination", "updated");
  return after;
}

/** Which of the waiting calls; all of them when nothing is said. */
export interface RetryAsked {
  readonly messageIds?: readonly string[];
  /** At most one of the two (contract 1.8). */
  readonly userId?: string;
  readonly anonymousId?: string;
}

interface Retried {
  readonly destination: DestinationConfig;
  /** Of `messageIds`, those that do not wait; undefined where not all that waits was looked at. */
  readonly notWaiting: readonly string[] | undefined;
}

/**
 * Durable when it resolves. What is meant is the deliverers' to find, however much it is; what waits is looked at only to say it in the answer. Rejects with
 * a 404, a 409 where nothing is sent, or a 422 where two users are named.
 */
export async function retryDestination(
  parts: WaitingParts,
  { by, id }: Whose,
  asked: RetryAsked,
): Promise<Retried> {
  const choice = choiceOf(asked);
  const destination = await parts.changes.decide(() => retriable(parts, id));
  const { found, notFound } = await look(parts, id, choice);
  await ask(parts, { id, by, asked, choice, found: found ?? null });
  return { destination, notWaiting: found === undefined ? undefined : notFound };
}

/** Throws a 404, or a 409 where nothing is sent. */
export function retriable(parts: WaitingParts, id: string): DestinationConfig {
  const destination = existingDestination(parts, id);
  if (!destination.enabled) throw new ProblemError("conflict", "the destination is switched off");
  if (destination.pausedAtMs !== null)
    throw new ProblemError("conflict", "the destination is paused: resume it");
  return destination;
}

/** Throws a 422 where two users are named. */
export function choiceOf({ messageIds, ...user }: RetryAsked): RetryChoice {
  return { ...EVERY_CALL, ...readUser(user), messageIds: messageIds === undefined ? null : [...messageIds] };
}

interface Looked {
  /** Calls; undefined where it took too long to look at all that waits. */
  readonly found: number | undefined;
  /** As `found`, or those that were found in time. */
  readonly atLeast: number;
  readonly notFound: readonly string[];
}

/** For four seconds at most. */
export async function look(
  { host, waiting }: WaitingParts,
  id: string,
  choice: RetryChoice,
): Promise<Looked> {
  const chosen = new ChosenCalls(choice);
  const missing = new Set(choice.messageIds);
  const means = (job: DeliveryJob): boolean => {
    const isMeant = chosen.has(job);
    if (isMeant) missing.delete(job.messageId);
    return isMeant;
  };
  const { count, isComplete } = await findWaiting(
    waiting,
    { destinationIds: new Set([id]), means, most: 0 },
    host,
  );
  return { found: isComplete ? count : undefined, atLeast: count, notFound: [...missing] };
}

interface Asking extends Whose {
  readonly asked: RetryAsked;
  readonly choice: RetryChoice;
  readonly found: number | null;
}

/** Nothing of it is changed but what waits: neither its version nor its time. */
async function ask(parts: WaitingParts, { asked, by, choice, found, id }: Asking): Promise<void> {
  const { audit, retryRequests } = parts;
  const entry = { by, action: "retried", resource: "destination", resourceId: id } as const;
  await audit.record({ ...entry, before: null, after: { ...asked, calls: found } });
  await retryRequests.ask({ destinationId: id, kind: "retry", ...choice, found });
}
