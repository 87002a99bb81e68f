// Who is on a list in the end, from what was uploaded alone.
import { EPOCH_MS } from "#testing/host";
import { newestProfiles } from "./audience-changes.ts";
import { skewOf } from "./audience-skew.ts";
import { silencesOf } from "./audience-suppressions.ts";
import { appliedTo, type ImportTerm, termBehind, termsOf } from "./import-terms.ts";
import { wasHindered } from "./regulations.ts";
import type { Story } from "./story.ts";
import { suppressionsOf } from "./suppressed-rows.ts";

/** What is written of a user around an import may come before it or after it. */
const AROUND_MS = 2_000;

/** Milliseconds of the world. */
interface Time {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** When a deletion's moment was, and when it was written. */
interface Deletion extends Time {
  readonly place: number;
}

function deletionsOf({ profileEvents }: Story, userId: string): Deletion[] {
  return profileEvents.flatMap(({ atMs, place, record, value }) => {
    if (value.kind !== "delete" || record.key !== userId) return [];
    const momentMs = (value.deletedAtMs ?? 0) - EPOCH_MS;
    return { place, fromMs: Math.min(momentMs, atMs), untilMs: Math.max(momentMs, atMs) };
  });
}

/** Everybody whom an upload names, or who is on the list. */
export function listedUsers(story: Story, listId: string): ReadonlySet<string> {
  const named = termsOf(story).flatMap((term) => (term.listId === listId ? [...term.userIds] : []));
  const listed = [...newestProfiles(story)].flatMap(([id, { value }]) =>
    value.lists.includes(listId) ? id : [],
  );
  return new Set([...named, ...listed]);
}

/** undefined: it changes nothing of the user. */
function wantedBy({ first, userIds }: ImportTerm, userId: string): boolean | undefined {
  const { mode } = first.value;
  const isNamed = userIds.has(userId);
  if (mode === "replace") return isNamed;
  return isNamed ? mode === "add" : undefined;
}

/**
 * Whether a process that was cut off or frozen wrote a row of the user when another process had ended the import: its client goes on with what it
 * has in hand (decision 47). It may stand behind a row of the next import.
 */
export function isOverwritten(story: Story, listId: string, userId: string): boolean {
  return story.profileEvents.some((event) => {
    const { atMs, process, record, value } = event;
    if (record.key !== userId || value.kind !== "list" || value.listId !== listId) return false;
    const term = termBehind(story, event);
    const endedAtMs = term?.end?.atMs ?? Number.POSITIVE_INFINITY;
    return term !== undefined && atMs > endedAtMs && wasHindered(story, process, term.first.atMs, atMs);
  });
}

/**
 * Whether the user may be on the list in the end; both where it is chance. Of who was suppressed while an import was under way it is chance whether
 * that changes something; of who was deleted then, whether the upload comes before that.
 */
export function expectedMembers(story: Story, listId: string, userId: string): ReadonlySet<boolean> {
  const apartMs = AROUND_MS + skewOf(story);
  const deletions = deletionsOf(story, userId);
  const silences = [...(silencesOf(story).get(userId) ?? []), ...suppressionsOf(story, userId)];
  let [possible, afterPlace] = [new Set([false]), -1];
  const deletedBetween = (place: number): boolean =>
    deletions.some((deletion) => deletion.place > afterPlace && deletion.place <= place);
  for (const term of appliedTo(story, listId)) {
    const isNear = ({ fromMs, untilMs }: Time): boolean =>
      fromMs - apartMs <= term.end.atMs && untilMs + apartMs >= term.first.atMs;
    if (deletedBetween(term.end.place)) possible = new Set([false]);
    afterPlace = term.end.place;
    const wanted = wantedBy(term, userId);
    if (wanted === undefined) continue;
    if (deletions.some(isNear)) possible = new Set([...possible, wanted, false]);
    else if (silences.some(isNear)) possible = new Set([...possible, wanted]);
    else possible = new Set([wanted]);
  }
  return deletedBetween(Number.POSITIVE_INFINITY) ? new Set([false]) : possible;
}
