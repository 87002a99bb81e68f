// A law of audiences: who was deleted comes back by what happens later, and by nothing else.
import { SPACE_SOURCE } from "#contract";
import { EPOCH_MS } from "#testing/host";
import type { Call } from "#topics";
import { changesOf, newestProfiles, ownerOf } from "./audience-changes.ts";
import { skewOf } from "./audience-skew.ts";
import { audienceLaw } from "./audiences.ts";
import type { Story } from "./story.ts";

interface Deletion {
  /** Its moment, Unix ms: what is not later belongs to the deleted user. */
  readonly atMs: number;
  /** When it was in the log, Unix ms. */
  readonly writtenAtMs: number;
}

/** By user, as somebody asked for them: not those that a merged user has passed on. */
function deletionsOf({ profileEvents }: Story): ReadonlyMap<string, readonly Deletion[]> {
  const all = new Map<string, Deletion[]>();
  for (const { atMs, record, value } of profileEvents) {
    if (value.kind !== "delete" || value.hops > 0) continue;
    const known = all.get(record.key ?? "") ?? [];
    all.set(record.key ?? "", known);
    known.push({ atMs: value.deletedAtMs ?? 0, writtenAtMs: EPOCH_MS + atMs });
  }
  return all;
}

/** A call that names the user, or a row of an import. */
interface Happened {
  /** By it the event is before a deletion or after it, Unix ms. */
  readonly atMs: number;
  /** When it may have become known, Unix ms. */
  readonly knownAtMs: number;
}

const timeOf = ({ receivedAtMs, timestampMs }: Call): number => Math.min(receivedAtMs, timestampMs);

/** By user. A call of a device, or of a former user id, is nobody else's: a deletion ends links. */
function happenedTo({ calls, profileEvents }: Story): ReadonlyMap<string, readonly Happened[]> {
  const given = calls.filter(({ value }) => value.sourceId !== SPACE_SOURCE && value.type !== "delete");
  const own = given.map(({ value }) => {
    return { user: ownerOf(value), atMs: timeOf(value), knownAtMs: value.receivedAtMs };
  });
  const rows = profileEvents.flatMap(({ record, value }) => {
    const atMs = value.listedAtMs ?? 0;
    return value.kind === "list" ? { user: record.key ?? "", atMs, knownAtMs: atMs } : [];
  });
  return Map.groupBy<string, Happened & { readonly user: string }>([...own, ...rows], ({ user }) => user);
}

/** Several changes of one moment follow each other by a millisecond. */
const FOLLOWING_MS = 50;

/**
 * In which order the logs of linked users meet is chance, and so is whom a deletion takes along. But nothing brings back a user whom it names, if not a
 * later call or import that names the same user: no merge that was under way, no device, no new audience.
 */
export const deletedStayAway = audienceLaw(
  "who was deleted comes back by later calls alone",
  function* (story) {
    const deletions = deletionsOf(story);
    if (deletions.size === 0) return;
    const happened = happenedTo(story);
    const slackMs = skewOf(story) + FOLLOWING_MS;
    const isBack = (user: string, deletion: Deletion, byMs: number): boolean =>
      happened.get(user)?.some(({ atMs, knownAtMs }) => atMs > deletion.atMs && knownAtMs <= byMs) ?? false;
    for (const { atMs, audience, user, value } of changesOf(story)) {
      // The deletion's own: it is sent when it is read, which may be long after it was written.
      if (value === false || value === null) continue;
      const before = deletions.get(user)?.filter(({ writtenAtMs }) => atMs > writtenAtMs + slackMs) ?? [];
      if (before.every((deletion) => isBack(user, deletion, atMs + slackMs))) continue;
      yield `${user} in ${audience.key}: ${JSON.stringify(value)} at ${atMs - EPOCH_MS} ms`;
    }
    if (story.drainedAtMs === undefined) return;
    const profiles = newestProfiles(story);
    for (const [user, all] of deletions) {
      if (all.every((deletion) => isBack(user, deletion, Number.POSITIVE_INFINITY))) continue;
      const results = profiles.get(user)?.value.results ?? [];
      const members = results.filter(({ text }) => text !== "" && text !== "false");
      for (const { computationId } of members) yield `${user} is still in ${computationId}`;
    }
  },
);
