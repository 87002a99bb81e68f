// What control counts of calls.
import { isGivenBySync } from "#contract";
import type { DeadLetter, RoutedCall } from "#topics";
import { catchingUp } from "./replays.ts";
import { law, type Story, type Written } from "./story.ts";

/** Records that are gone may be counted or not: an index that is created again does not find them. */
const hasLost = ({ happenings }: Story): boolean =>
  happenings.some(({ kind }) => kind === "removed" || kind === "cut");

/**
 * When everything is through nothing waits: what was sent is delivered or dead. Every call that routers have read is counted once, and so is each of its deliveries and each that died, whoever was killed or lost its disk: of a call that was
 * routed again what was recorded last.
 */
export const countsAreTrue = law("each call is counted once, in what became of it", function* (story) {
  if (story.drainedAtMs === undefined || !story.plan.recordsCalls || hasLost(story)) return;
  const expected = new Map<string, number>();
  const add = (cell: string): void => void expected.set(cell, (expected.get(cell) ?? 0) + 1);
  for (const { value } of lastOf(story.routedCalls)) addCall(value, add);
  for (const letter of firstOf(story.deadLetters)) addLetter(letter, add);
  const isCatchingUp = catchingUp(story);
  for (const { counted, process, waiting } of story.indexes) {
    if (waiting !== 0) yield `${process} says that ${waiting} calls wait, and each is delivered or dead`;
    if (isCatchingUp.has(process)) continue;
    for (const cell of new Set([...expected.keys(), ...Object.keys(counted)]))
      if ((counted[cell] ?? 0) !== (expected.get(cell) ?? 0))
        yield `${process} counts ${counted[cell] ?? 0} as ${cell}, and there are ${expected.get(cell) ?? 0}`;
  }
});

/** By the place of the call. */
function lastOf(records: readonly Written<RoutedCall>[]): Iterable<Written<RoutedCall>> {
  const last = new Map<string, Written<RoutedCall>>();
  for (const each of records.toSorted((one, other) => one.place - other.place))
    last.set(`${each.value.partition} ${each.value.offset}`, each);
  return last.values();
}

/** A letter that a crash has written twice counts once, by the reason of the first: the destination may have been deleted between the two. */
function firstOf(letters: readonly Written<DeadLetter>[]): Iterable<DeadLetter> {
  const first = new Map<string, DeadLetter>();
  for (const { value } of letters.toSorted((one, other) => one.record.offset - other.record.offset)) {
    const key = `${value.id} ${value.userId} ${value.anonymousId}`;
    if (!first.has(key)) first.set(key, value);
  }
  return first.values();
}

function addCall({ destinationIds, outcome, passedOver }: RoutedCall, add: (cell: string) => void): void {
  add(outcome === "routed" ? "routed" : `dropped ${outcome}`);
  for (const _ of destinationIds) add("sent");
  for (const { reason } of passedOver) add(`passed_over ${reason}`);
}

function addLetter(letter: DeadLetter, add: (cell: string) => void): void {
  const { destinationId, reason, receivedAtMs, replayId, sourceId } = letter;
  if (sourceId === null || receivedAtMs === null || replayId !== null || isOfSync(letter)) return;
  add(`${destinationId === null ? "failed" : "dead"} ${reason}`);
}

/** No router has sent it. A record that could not be worked on has no job's id. */
function isOfSync({ anonymousId, destinationId, id, messageId, sourceId, userId }: DeadLetter): boolean {
  if (sourceId === null || messageId === null || destinationId === null || id.includes("-")) return false;
  return isGivenBySync(id, { sourceId, messageId, userId, anonymousId }, destinationId);
}
