// What there is of some users, as far as it can be counted while somebody waits: a regulation says it before it begins.

import { userProfileId } from "#audiences";
import { hasPreviousId } from "#contract";
import type { Host } from "#host";
import type { AudienceConfig, DeliveryJob } from "#topics";
import { scan } from "../http/scan.ts";
import type { ProfileReader, SentState } from "../records/profiles/replica.ts";
import type { Slices } from "../records/profiles/slices.ts";
import { untilRead } from "../resources/audiences/member-parts.ts";
import type { DestinationListing } from "../resources/destinations/configured.ts";
import type { AffectedUsers, Count } from "../resources/regulations/parts.ts";
import type { DeliveryIndex } from "./index/delivery-index.ts";
import { findWaiting } from "./waiting/find.ts";
import type { WaitingReader } from "./waiting/reader.ts";

export interface AffectedUsersParts {
  readonly destinations: Pick<DestinationListing, "placeOf">;
  readonly waiting: WaitingReader;
  readonly deliveries: { readonly index: Pick<DeliveryIndex, "listDeadLetters"> };
  readonly audiences: { list(): readonly Pick<AudienceConfig, "id" | "kind" | "deletedAtMs">[] };
  readonly profiles: Pick<ProfileReader, "needed" | "survivorOf">;
  /** False: nobody keeps profiles. */
  readonly hasAudiences: boolean;
  readonly slices: Slices;
  readonly host: Pick<Host, "elapsed" | "setImmediate" | "setTimeout">;
}

interface Asked {
  readonly userIds: ReadonlySet<string>;
  /** Null: in all of them. */
  readonly sourceId: string | null;
}

const PROFILES_MS = 2_000;

/** Takes some four seconds at most. */
export async function countAffected(parts: AffectedUsersParts, asked: Asked): Promise<AffectedUsers> {
  const [ofAudiences, waitingCalls, deadLetters] = await Promise.all([
    countProfiles(parts, asked),
    countWaiting(parts, asked),
    countDeadLetters(parts, asked),
  ]);
  return { ...ofAudiences, waitingCalls, deadLetters };
}

type OfAudiences = Pick<AffectedUsers, "profiles" | "audiences" | "memberships">;

/** Of a user who was merged into another one, that one's: it gets along what both have counted. */
async function countProfiles(
  { audiences, hasAudiences, host, profiles, slices }: AffectedUsersParts,
  { userIds }: Asked,
): Promise<OfAudiences> {
  const named = new Set<string>();
  let [found, memberships] = [0, 0];
  const end = (isComplete: boolean): OfAudiences => ({
    profiles: { atLeast: found, isComplete },
    audiences: { atLeast: named.size, isComplete },
    memberships: { atLeast: memberships, isComplete },
  });
  if (!hasAudiences) return end(true);
  const endsAtMs = host.elapsed() + PROFILES_MS;
  if (!(await areRead({ host, profiles }))) return end(false);
  const kept = new Set(audiences.list().flatMap((one) => (isAudience(one) ? one.id : [])));
  const pause = slices.begin();
  for (const userId of userIds) {
    await pause();
    if (host.elapsed() > endsAtMs) return end(false);
    const state = (await profiles.survivorOf(userProfileId(userId)))?.state;
    if (state === undefined) continue;
    found += 1;
    const memberOf = membershipsIn(state).filter((id) => kept.has(id));
    memberships += memberOf.length;
    for (const id of memberOf) named.add(id);
  }
  return end(true);
}

function isAudience({ deletedAtMs, kind }: Pick<AudienceConfig, "kind" | "deletedAtMs">): boolean {
  return deletedAtMs === null && kind !== "trait";
}

function membershipsIn({ results }: Pick<SentState, "results">): string[] {
  return results.flatMap(({ computationId, text }) => (text === "true" ? computationId : []));
}

async function areRead(parts: Parameters<typeof untilRead>[0]): Promise<boolean> {
  try {
    await untilRead(parts);
    return true;
  } catch {
    // A 503 to who asks for members; here the answer says that it is not known.
    return false;
  }
}

async function countWaiting(
  { destinations, host, waiting }: AffectedUsersParts,
  asked: Asked,
): Promise<Count> {
  const destinationIds = { has: (id: string) => destinations.placeOf(id) !== undefined };
  const means = (job: DeliveryJob): boolean => isIn(job, asked) && isOfUsers(job, asked.userIds);
  const { count, isComplete } = await findWaiting(waiting, { destinationIds, means, most: 1 }, host);
  return { atLeast: count, isComplete };
}

function isOfUsers({ body, type, userId }: DeliveryJob, userIds: ReadonlySet<string>): boolean {
  if (userId !== null && userIds.has(userId)) return true;
  const previousId: unknown = hasPreviousId(type) ? JSON.parse(body.toString()).previousId : undefined;
  return typeof previousId === "string" && userIds.has(previousId);
}

/** By their userId alone: an alias' second user is in its body, which the index has not. */
async function countDeadLetters({ deliveries, host }: AffectedUsersParts, asked: Asked): Promise<Count> {
  const { found, next } = await scan({
    read: (page) => deliveries.index.listDeadLetters({}, page),
    accepts: (letter) => isIn(letter, asked) && letter.userId !== null && asked.userIds.has(letter.userId),
    markOf: ({ deadAtMs, place }) => ({ atMs: deadAtMs, place }),
    page: { limit: Number.POSITIVE_INFINITY },
    host,
  });
  return { atLeast: found.length, isComplete: next === undefined };
}

function isIn({ sourceId }: { readonly sourceId: string | null }, asked: Asked): boolean {
  return asked.sourceId === null || sourceId === asked.sourceId;
}
