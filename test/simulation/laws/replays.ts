import type { Replay } from "#topics";
import { isOfCalls, replayLives, sentLetters } from "./covered.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

/** Once everything is through no replay runs any more, and each has ended as somebody was told. */
export const replaysEnd = law("a replay ends, and as it was asked to", function* (story) {
  const lives = replayLives(story);
  const { isRemoved } = removals(story);
  for (const happening of story.happenings) {
    if (happening.kind !== "replay_begun" && happening.kind !== "replay_cancelled") continue;
    const { atMs, kind, replayId } = happening;
    const life = lives.get(replayId);
    if (life === undefined) yield `${replayId} was begun at ${atMs} ms, and nobody has written it`;
    else if (kind === "replay_cancelled" && life.last.value.state !== "cancelled") {
      // It was at its end when somebody cancelled it.
      const left = life.letters.filter(
        (letter) => !isRemoved(letter) && life.sent.get(letter.value.id)?.length === 0,
      );
      if (life.last.value.state !== "finished" || left.length > 0)
        yield `${replayId} was cancelled at ${atMs} ms, and is ${life.last.value.state}`;
    }
  }
  if (story.drainedAtMs === undefined) return;
  for (const { id, last } of lives.values())
    if (last.value.state === "running") yield `${id} is running with everything through`;
});

/** What a replay says of itself at its end is so. */
export const replayCountsAreTrue = law("a replay's counts are true", function* (story) {
  const { isRemoved } = removals(story);
  for (const life of replayLives(story).values()) {
    if (isOfCalls(life)) continue;
    const removed = life.letters.filter(isRemoved).length;
    const { matched, replayed, deleted, expired, state } = life.last.value;
    const sent = sentLetters(life);
    const say = (what: string, is: number): string => `${life.id} says ${what} at its end, and it is ${is}`;
    // An index that was made anew does not know what was removed.
    if (matched > life.letters.length || matched < life.letters.length - removed)
      yield say(`matched ${matched}`, life.letters.length);
    // Who died before it could write what it had sent leaves a successor that knows nothing of what was removed since.
    const forgotten = life.letters.filter(
      (letter) => isRemoved(letter) && (life.sent.get(letter.value.id)?.length ?? 0) > 0,
    ).length;
    if (state === "finished" && (replayed > sent || replayed < sent - forgotten))
      yield say(`replayed ${replayed}`, sent);
    if (state === "cancelled" && replayed > sent) yield say(`replayed ${replayed}`, sent);
    if (expired > removed) yield say(`expired ${expired}`, removed);
    const counted = replayed + deleted + expired;
    if (state === "finished" && (counted < matched || (counted > matched && removed === 0)))
      yield say(`${replayed}, ${deleted} and ${expired}`, matched);
  }
});

/** The owner of a replay commits past its record when it has ended, not before. */
export const noCommitPassesReplay = law("no commit passes a replay that runs", function* (story) {
  const written = new Map(story.replays.map((each) => [each.place, each]));
  const latest = new Map<string, Written<Replay>>();
  for (const [place, happening] of story.happenings.entries()) {
    const version = written.get(place);
    if (version !== undefined) latest.set(version.value.id, version);
    if (happening.kind !== "committed" || happening.groupId !== "control") continue;
    const { atMs, offset, partition, process } = happening;
    for (const { record, value } of latest.values()) {
      const isItsPartition = record.topic === partition.topic && record.partition === partition.partition;
      if (value.state === "running" && isItsPartition && record.offset < offset)
        yield `${process} commits ${offset} at ${atMs} ms, past ${value.id} at ${record.offset}`;
    }
  }
});

/** A process that was cut off, or stood still, joins its groups anew, and reads on after that. */
const READS_AGAIN_WITHIN_MS = 20_000;

/** Processes that have just been disturbed. */
export function catchingUp({ endedAtMs, happenings }: Story): ReadonlySet<string> {
  return new Set(
    happenings.flatMap((happening) =>
      happening.kind === "disturbed" && happening.atMs >= endedAtMs - READS_AGAIN_WITHIN_MS
        ? [happening.process]
        : [],
    ),
  );
}

/** What can be looked up is all there is, but in a process that has just been disturbed. */
export const indexesAreComplete = law("the index has every dead letter once", function* (story) {
  const { isRemoved } = removals(story);
  if (story.drainedAtMs === undefined || story.deadLetters.some(isRemoved)) return;
  const letters = new Set(story.deadLetters.map(({ value }) => value.id)).size;
  const isCatchingUp = catchingUp(story);
  for (const { deadLetters, process } of story.indexes)
    if (deadLetters !== letters && !isCatchingUp.has(process))
      yield `${process} has ${deadLetters}, and there are ${letters}`;
});
