import { type CallUser, userIn, userKey } from "#contract";
import type { DeliveryJob, Replay } from "#topics";
import { notFound, ProblemError, refused } from "../../http/problem.ts";
import { ofSource } from "../../resources/destinations/configured.ts";
import { replaysBack } from "../dead-letters/selection.ts";
import type { ListedAttempt } from "../index/attempts-table.ts";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import type { ListedRoutedCall } from "../index/routed-calls-table.ts";
import { findWaiting, isOf } from "../waiting/find.ts";
import type { WaitingJob } from "../waiting/waiting-job.ts";
import type { CallParts } from "./parts.ts";
import { hadJob, isSentAgain, stillWaiting, type Trace, whyPassedOver } from "./trace.ts";

/** More of a kind are known of no call, but for one that is replayed again and again, or a messageId of very many users. */
const MAX_ENTRIES = 1_000;
/** Of one messageId; whoever has more names one. */
export const MAX_USERS = 100;

export interface CallAsked {
  readonly messageId: string;
  /** Undefined: there is one. */
  readonly sourceId: string | undefined;
  /** Undefined: everybody's. */
  readonly user: CallUser | undefined;
}

/** One user's call. */
export interface CallOfUser extends CallUser {
  /** Oldest first, its copies too; empty when nothing is recorded. */
  readonly accepted: readonly ListedRoutedCall[];
  readonly traces: readonly Trace[];
}

export interface FoundCalls {
  readonly messageId: string;
  readonly sourceId: string;
  /** The first one is the only one as a rule. */
  readonly calls: readonly [CallOfUser, ...CallOfUser[]];
  readonly isComplete: boolean;
}

/** All that is known of a messageId. */
interface Known {
  readonly attempts: readonly ListedAttempt[];
  readonly deadLetters: readonly ListedDeadLetter[];
  readonly accepted: readonly ListedRoutedCall[];
  readonly waiting: readonly WaitingJob[];
}

/** Throws a 404 for a call of which nothing is known, a 503 when it may only not be read yet, and a 422 when several sources had one and none is named. */
export async function findCalls(parts: CallParts, asked: CallAsked): Promise<FoundCalls> {
  const { messageId, user } = asked;
  // In this order: what was a job before its place was looked at stands in one of the places, or was delivered.
  const replays = parts.replays.list();
  const [routedUpTo, isRoutedIndexed] = await Promise.all([
    parts.routedUpTo(),
    parts.untilIndexed("routedCalls"),
  ]);
  const noTrace = () => (isRoutedIndexed ? notFound("trace of a call", messageId) : notYetIndexed());
  const before = await indexed(parts, asked);
  const entries = [...before.accepted, ...before.attempts, ...before.deadLetters];
  const sourceId = asked.sourceId ?? onlySource(entries);
  if (sourceId === undefined) throw noTrace();
  const means = (job: DeliveryJob) =>
    job.messageId === messageId && job.sourceId === sourceId && isOf(user, userIn(job));
  const search = { destinationIds: new Set(destinationIds(parts, sourceId, before)), means };
  const found = await findWaiting(parts.waiting, search, parts.host);
  if (entries.length + found.jobs.length === 0 && found.isComplete) throw noTrace();
  const isAllSeen = (await parts.untilIndexed("deadLetters")) && found.isComplete;
  const known = { ...(await indexed(parts, asked)), waiting: found.jobs };
  const hadJobAt = (one: CallUser, destinationId: string) =>
    hadJob(destinationId, knownOf({ ...before, waiting: [] }, one), routedUpTo);
  const users = usersOf(known);
  const [first = user ?? NOBODY, ...others] = users.slice(0, MAX_USERS);
  const callOf = (one: CallUser) =>
    callOfUser(parts, { sourceId, known: knownOf(known, one), user: one, hadJobAt, replays, isAllSeen });
  const isAllKnown = [known.accepted, known.attempts, known.deadLetters].every(isWhole);
  const isListed = users.length <= MAX_USERS && isAllKnown;
  const isComplete = isRoutedIndexed && isAllSeen && isListed;
  return { messageId, sourceId, calls: [callOf(first), ...others.map(callOf)], isComplete };
}

/** Of a call that may well be there nobody is told that it is not. */
function notYetIndexed(): ProblemError {
  return new ProblemError("unavailable", "the newest records of calls are not read yet: ask again");
}

async function indexed(
  { deliveries: { index } }: CallParts,
  asked: CallAsked,
): Promise<Omit<Known, "waiting">> {
  const page = { limit: MAX_ENTRIES };
  return {
    attempts: index.listAttempts(asked, page).reverse(),
    deadLetters: index.listDeadLetters(asked, page).reverse(),
    accepted: await index.listRoutedCalls(asked, MAX_ENTRIES),
  };
}

function isWhole(entries: readonly unknown[]): boolean {
  return entries.length < MAX_ENTRIES;
}

const NOBODY: CallUser = { userId: null, anonymousId: null };

/** Each user once. */
function usersOf({ accepted, attempts, deadLetters, waiting }: Known): CallUser[] {
  const all = [...accepted, ...attempts, ...deadLetters, ...waiting.map(({ job }) => userIn(job))];
  const users = new Map<string, CallUser>();
  for (const { anonymousId, userId } of all) {
    const key = userKey({ anonymousId, userId });
    if (key !== "" && !users.has(key)) users.set(key, { userId, anonymousId });
  }
  return [...users.values()];
}

function knownOf({ accepted, attempts, deadLetters, waiting }: Known, user: CallUser): Known {
  return {
    accepted: accepted.filter((one) => isOf(user, one)),
    attempts: attempts.filter((one) => isOf(user, one)),
    deadLetters: deadLetters.filter((one) => isOf(user, one)),
    waiting: waiting.filter(({ job }) => isOf(user, userIn(job))),
  };
}

interface OfUser {
  readonly sourceId: string;
  readonly known: Known;
  readonly user: CallUser;
  hadJobAt(user: CallUser, destinationId: string): boolean;
  /** As they were before it was looked for where jobs wait. */
  readonly replays: readonly Replay[];
  readonly isAllSeen: boolean;
}

function callOfUser(parts: CallParts, { hadJobAt, isAllSeen, known, ...call }: OfUser): CallOfUser {
  const { accepted, attempts, deadLetters, waiting } = known;
  const traces = destinationIds(parts, call.sourceId, known).map((destinationId): Trace => {
    // One without a destination is the router's: none has got the call.
    const died = deadLetters.filter((letter) => [destinationId, null].includes(letter.destinationId));
    const sentAgain = isSentAgain(died, (letter) => replaysBack(letter, call.replays, parts.deletedUsers));
    const trace = {
      destinationId,
      attempts: attempts.filter((attempt) => attempt.destinationId === destinationId),
      deadLetters: died,
      waiting: waiting.filter(({ job }) => job.destinationId === destinationId),
      isRouted: accepted.some((one) => one.destinationIds.includes(destinationId)),
      isSettled: isAllSeen && (sentAgain || hadJobAt(call.user, destinationId)),
      isSentAgain: sentAgain,
      passedOver: whyPassedOver(destinationId, accepted),
    };
    return { ...trace, waiting: stillWaiting(trace) };
  });
  return { ...call.user, accepted, traces };
}

function onlySource(entries: readonly { readonly sourceId: string | null }[]): string | undefined {
  const sources = [...new Set(entries.flatMap(({ sourceId }) => sourceId ?? []))];
  if (sources.length > 1)
    throw refused([{ path: "sourceId", message: `is required: ${sources.join(", ")} have such a call` }]);
  return sources[0];
}

/** Those that are connected now, and those of which something is known. */
function destinationIds(
  { destinations }: CallParts,
  sourceId: string,
  { accepted, attempts, deadLetters }: Pick<Known, "accepted" | "attempts" | "deadLetters">,
): string[] {
  const connected = destinations.in(ofSource(sourceId));
  const known = [...attempts, ...deadLetters].flatMap(({ destinationId }) => destinationId ?? []);
  const routed = accepted.flatMap((one) => one.destinationIds);
  return [...new Set([...connected.map(({ id }) => id), ...known, ...routed])];
}
