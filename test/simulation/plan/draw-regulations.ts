// Users are suppressed, and not suppressed any more, in worlds of audiences; where users are linked they are deleted here too.
import { SPACE_SOURCE } from "#contract";
import type { Random } from "#testing";
import { SOURCE_ID } from "../world/clients.ts";
import { isLinking } from "./draw-profile-writes.ts";
import type { Plan, ProfileWrite } from "./plan.ts";

/** In so many worlds users are suppressed; in so many of those with links they are deleted. */
const SUPPRESSED_SHARE = 0.3;
const DELETED_SHARE = 0.4;
const EARLIEST_MS = 5_000;
const QUIET_MS = 3_000;
/** Ingest acts on a suppression by then: the moment of the deletion that goes with it. */
const IN_FORCE_MS = 1_000;
const LASTS_MS = { from: 200, to: 15_000 };

/** Suppressions and deletions beside those of `draw-profile-writes.ts`, by chance of their own. */
export function drawRegulations(plan: Plan, random: Random): ProfileWrite[] {
  const users = usersOf(plan);
  return [
    ...drawSuppressions(plan, users, random.split("suppressions")),
    ...drawDeletions(plan, users, random.split("deletions")),
  ];
}

/** Everybody who may be named, also one who is merged into another one, and one who never calls. */
function usersOf({ calls }: Plan): readonly string[] {
  const named = calls.flatMap(({ fields, userId }) => [userId, fields?.["userId"], fields?.["previousId"]]);
  const users = named.filter((id): id is string => typeof id === "string");
  return [...new Set([...users, "nobody"])].sort();
}

const oneOf = (users: readonly string[], random: Random): string =>
  users[random.between(0, users.length - 1)] ?? "nobody";

/** The workspace mostly; or the source of audiences, which comes to the same here; or that of the calls, whose calls do not count then. */
const SCOPES = [null, null, null, SPACE_SOURCE, SOURCE_ID] as const;

function drawSuppressions({ timing }: Plan, users: readonly string[], random: Random): ProfileWrite[] {
  if (!random.chance(SUPPRESSED_SHARE)) return [];
  const latestMs = timing.calmMs - QUIET_MS;
  return Array.from({ length: random.between(1, 4) }, (_, index) => {
    const own = random.split(`regulation ${index}`);
    const id = `sup${index + 1}`;
    const userId = oneOf(users, own);
    const sourceId = own.pick(SCOPES);
    const atMs = own.between(EARLIEST_MS, latestMs);
    const isDeleted = own.chance(0.5);
    const endsAtMs = atMs + IN_FORCE_MS + own.between(LASTS_MS.from, LASTS_MS.to);
    const isEnded = own.chance(0.5) && endsAtMs <= latestMs;
    const begins: ProfileWrite = { id, atMs, userId, suppression: { sourceId, isSuppressed: true } };
    const ends = { id: `${id}.u`, atMs: endsAtMs, userId, suppression: { sourceId, isSuppressed: false } };
    const deletes = { id: `${id}.d`, atMs: atMs + IN_FORCE_MS, userId };
    return [begins, ...(isDeleted ? [deletes] : []), ...(isEnded ? [ends] : [])];
  }).flat();
}

function drawDeletions(plan: Plan, users: readonly string[], random: Random): ProfileWrite[] {
  if (!isLinking(plan) || !random.chance(DELETED_SHARE)) return [];
  return Array.from({ length: random.between(1, 4) }, (_, index): ProfileWrite => {
    const atMs = random.between(EARLIEST_MS, plan.timing.calmMs - QUIET_MS);
    return { id: `d${index + 1}`, atMs, userId: oneOf(users, random) };
  });
}
