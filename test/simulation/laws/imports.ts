// Laws of imports, as control works on them: each ends, in its turn, and the last one says who is on its list.
import type { MembershipImport } from "#topics";
import { newestProfiles } from "./audience-changes.ts";
import { versionsOf } from "./audience-versions.ts";
import { type ImportTerm, isToBeConfirmed, termBehind, termsOf } from "./import-terms.ts";
import { expectedMembers, isOverwritten, listedUsers } from "./list-members.ts";
import { wasHindered } from "./regulations.ts";
import { law, type Story } from "./story.ts";
import { suppressedAt } from "./suppressed-rows.ts";

const isDeleted = (story: Story, listId: string): boolean =>
  versionsOf(story).get(listId)?.newest.deletedAtMs !== null;

/** Why the import should not be as it is in the end; undefined: it may. */
function misended(story: Story, newest: MembershipImport): string | undefined {
  const { audienceId, errors, errorCount, id, isConfirmed, state } = newest;
  if (state === "staged") return "is under way";
  if (state === "refused" && errors.length === 0) return "is refused for no reason";
  const isOfRows = errors.every(({ line }) => line > 0) && errorCount > 0;
  if (state === "refused" && !isOfRows && !isDeleted(story, audienceId))
    return `is refused: ${errors[0]?.message}`;
  if (state !== "held") return undefined;
  const isAsked = story.happenings.some(
    (each) => each.kind === "imported" && each.deed === "confirm" && each.importKey === id,
  );
  if (isAsked || isConfirmed) return "is held, and was confirmed";
  return isToBeConfirmed(newest) ? undefined : "is held, and nobody has to confirm it";
}

/** Whatever dies, an upload that was taken is applied, waits to be confirmed where that is asked for, or is refused with a reason. */
export const importsEnd = law("an import that was answered ends", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const newest = new Map(story.control.imports.map(({ value }) => [value.id, value]));
  for (const happening of story.happenings)
    if (happening.kind === "imported" && !newest.has(happening.importKey))
      yield `${happening.importKey}, answered at ${happening.atMs} ms, is nowhere`;
  for (const [key, one] of newest) {
    const problem = misended(story, one);
    if (problem !== undefined) yield `${key} ${problem}`;
  }
});

/** Nobody empties a list, or takes many off it, by one upload. */
export const suspiciousWait = law("what has to be confirmed is not applied before", function* (story) {
  for (const { value } of story.control.imports)
    if (value.state === "applied" && !value.isConfirmed && isToBeConfirmed(value))
      yield `${value.id} is applied: ${value.rows} rows, ${value.removed} of ${value.members} members less`;
});

/** When people asked for it, and were answered; undefined: nobody was. */
function answerTo({ happenings }: Story, { deed, key }: ImportTerm) {
  for (const each of happenings)
    if (each.kind === "imported" && each.importKey === key && each.deed === deed) return each;
  return undefined;
}

/** One that was asked for after another one was answered is applied after that has ended. */
export const importsKeepOrder = law("imports of one list end in their order", function* (story) {
  for (const later of termsOf(story)) {
    const askedAtMs = answerTo(story, later)?.askedAtMs ?? 0;
    if (later.end?.value.state !== "applied") continue;
    for (const earlier of termsOf(story)) {
      const isOther = earlier.listId !== later.listId || earlier === later;
      const answeredAtMs = answerTo(story, earlier)?.atMs ?? Number.POSITIVE_INFINITY;
      if (isOther || answeredAtMs >= askedAtMs) continue;
      if ((earlier.end?.place ?? Number.POSITIVE_INFINITY) > later.end.place)
        yield `${later.key} is applied before ${earlier.key}, which was answered at ${answeredAtMs} ms, has ended`;
    }
  }
});

/** Of lists that are not deleted. */
function* listsOf(story: Story): Generator<string> {
  for (const listId of new Set(termsOf(story).map((term) => term.listId)))
    if (!isDeleted(story, listId)) yield listId;
}

/** Once everything is through, exactly those are on a list whom its imports, one after the other, have left there. */
export const lastListHolds = law("who is on a list is so by its imports", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const profiles = newestProfiles(story);
  for (const listId of listsOf(story))
    for (const userId of listedUsers(story, listId)) {
      const isOn = profiles.get(userId)?.value.lists.includes(listId) ?? false;
      if (!expectedMembers(story, listId, userId).has(isOn) && !isOverwritten(story, listId, userId))
        yield `${userId} is ${isOn ? "" : "not "}on ${listId}, its imports say otherwise`;
    }
});

/** So the API says, and so destinations that are connected later are told. */
export const controlKnowsLists = law("control knows who is on a list", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const profiles = newestProfiles(story);
  for (const { listId, process, profileIds } of story.lists)
    for (const id of new Set([...profiles.keys(), ...profileIds])) {
      const isOn = profiles.get(id)?.value.lists.includes(listId) ?? false;
      if (isOn !== profileIds.has(id))
        yield `${id} is ${isOn ? "" : "not "}on ${listId}, ${process} knows otherwise`;
    }
});

/** A row of one who was suppressed when the upload was taken changes nothing, nor does it that they are not named. */
export const suppressedStay = law("an import leaves suppressed users as they are", function* (story) {
  for (const event of story.profileEvents) {
    if (event.value.kind !== "list") continue;
    const term = termBehind(story, event);
    const sinceMs = term && suppressedAt(story, event, term.first.atMs);
    if (sinceMs !== undefined)
      yield `${event.record.key} by ${term?.key} at ${event.atMs} ms, who is suppressed since ${sinceMs} ms`;
  }
});

/** What was applied is not applied again behind the next one, which was compared with it. */
export const endedRest = law("an import that has ended writes nothing more", function* (story) {
  for (const event of story.profileEvents) {
    if (event.value.kind !== "list") continue;
    const term = termBehind(story, event);
    const endedAtMs = term?.end?.atMs ?? Number.POSITIVE_INFINITY;
    if (term === undefined || event.atMs <= endedAtMs) continue;
    // Who was cut off or frozen has in hand what another process has ended (decision 47).
    if (!wasHindered(story, event.process, term.first.atMs, event.atMs))
      yield `${event.record.key} by ${term.key} at ${event.atMs} ms, which ended at ${endedAtMs} ms`;
  }
});
