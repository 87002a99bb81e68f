// What the API does with a destination's waiting calls, whoever asks.
import { userIn, userKey } from "#contract";
import type { DeliveryJob, DestinationConfig } from "#topics";
import { existingDestination } from "../destinations/existing.ts";
import { paused, resumed } from "../destinations/pause.ts";
import type { Actor } from "../http/caller.ts";
import { ProblemError } from "../http/problem.ts";
import { readUser } from "../http/user-fields.ts";
import { type FoundWaiting, findWaiting } from "./find.ts";
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
  const make: Change = (before, made) => {
    if (before.pausedAtMs === null) throw new ProblemError("conflict", "the destination is not paused");
    return resumed(before, made);
  };
  const ask = () =>
    parts.retryRequests.ask({ destinationId: whose.id, kind: "retry", jobIds: null, found: null });
  return change(parts, whose, make, ask);
}

/** `ask` comes before the change, and means nothing without it. */
async function change(
  { changes, destinations, nowMs, telemetry, ...parts }: WaitingParts,
  { id, by }: Whose,
  make: Change,
  ask?: () => Promise<void>,
): Promise<DestinationConfig> {
  const after = await changes.run(async () => {
    const before = existingDestination({ ...parts, destinations }, id);
    const made = make(before, { nowMs: nowMs() });
    await ask?.();
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
  /** Of `messageIds`, those that were not found waiting. */
  readonly notWaiting: readonly string[];
}

/** Durable when it resolves. Rejects with a 404, a 409 where nothing is sent, or a 422 where two users are named. */
export async function retryDestination(
  parts: WaitingParts,
  { by, id }: Whose,
  asked: RetryAsked,
): Promise<Retried> {
  const means = meaning(asked);
  const destination = await parts.changes.decide(() => retried(parts, id));
  const found = await findWaiting(parts.waiting, { destinationIds: [id], means }, parts.host);
  await ask(parts, { destination, asked, found, by });
  const waiting = new Set(found.jobs.map(({ job }) => job.messageId));
  const notWaiting = (asked.messageIds ?? []).filter((messageId) => !waiting.has(messageId));
  return { destination, notWaiting };
}

function retried(parts: WaitingParts, id: string): DestinationConfig {
  const destination = existingDestination(parts, id);
  if (!destination.enabled) throw new ProblemError("conflict", "the destination is switched off");
  if (destination.pausedAtMs !== null)
    throw new ProblemError("conflict", "the destination is paused: resume it");
  return destination;
}

function meaning({ messageIds, ...asked }: RetryAsked): (job: DeliveryJob) => boolean {
  const wanted = messageIds && new Set(messageIds);
  const user = readUser(asked);
  return (job) =>
    (wanted === undefined || wanted.has(job.messageId)) &&
    (user === undefined || userKey(userIn(job)) === userKey(user));
}

interface Asking {
  readonly destination: DestinationConfig;
  readonly asked: RetryAsked;
  readonly found: FoundWaiting;
  readonly by: Actor;
}

/** Nothing of it is changed but what waits: neither its version nor its time. */
async function ask(parts: WaitingParts, { asked, by, destination, found }: Asking): Promise<void> {
  const { audit, retryRequests } = parts;
  const { id: destinationId } = destination;
  const isOfSome = Object.values(asked).some((value) => value !== undefined);
  const jobIds = isOfSome ? found.jobs.map(({ job }) => job.jobId) : null;
  const entry = { by, action: "retried", resource: "destination", resourceId: destinationId } as const;
  await audit.record({ ...entry, before: null, after: { ...asked, calls: found.count } });
  await retryRequests.ask({ destinationId, kind: "retry", jobIds, found: found.count });
}
