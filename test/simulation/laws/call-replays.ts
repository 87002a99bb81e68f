import { replayJobId } from "#contract";
import type { DeadLetter, DeliveryJob, Replay, ReplayedCalls } from "#topics";
import type { Happening } from "../world/history.ts";
import type { LogLine } from "../world/log-book.ts";
import { isOfCalls, type ReplayLife, replayJobs, replayLives } from "./covered.ts";
import { cuts } from "./cuts.ts";
import { isReadAgain } from "./doubles.ts";
import { callKey, keyAt } from "./identity.ts";
import { isTaken, isUntried, jobEvents } from "./job-events.ts";
import { removals } from "./removals.ts";
import { againFinder, isSameCall } from "./replay-jobs.ts";
import { law, type Story, type Written } from "./story.ts";

type Job = Written<DeliveryJob>;

interface CallReplayLife extends ReplayLife {
  readonly calls: ReplayedCalls;
  /** What it may mean, by the id of the job that it makes of it: the records of the call's job in the stretches that it reads. */
  readonly originals: ReadonlyMap<string, readonly Job[]>;
}

function isInStretches({ record }: Job, { stretches }: ReplayedCalls): boolean {
  return stretches.some(
    ({ fromOffset, partition, toOffset }) =>
      record.partition === partition && fromOffset <= record.offset && record.offset < toOffset,
  );
}

function isAsked({ value }: Job, { destinationId, fromMs }: Replay, { userId }: ReplayedCalls): boolean {
  return (
    value.replayId === null &&
    value.destinationId === destinationId &&
    (userId === null || value.userId === userId) &&
    value.receivedAtMs >= (fromMs ?? 0)
  );
}

function callReplays(story: Story): CallReplayLife[] {
  return [...replayLives(story).values()].filter(isOfCalls).flatMap((life) => {
    const { value } = life.asked;
    const { calls } = value;
    if (calls === null) return [];
    const meant = story.jobs.filter(
      (job) => isUntried(job) && isInStretches(job, calls) && isAsked(job, value, calls),
    );
    const originals = Map.groupBy(meant, (job) => replayJobId(job.value.jobId, life.id));
    return [{ ...life, calls, originals }];
  });
}

function lettersOf({ deadLetters }: Story): ReadonlyMap<string, Written<DeadLetter>> {
  return new Map(deadLetters.toReversed().map((letter) => [letter.value.id, letter]));
}

/** Why a job is none that the replay may send; undefined: it may. */
function unmeantFinder(story: Story) {
  const letters = lettersOf(story);
  const eventsOf = jobEvents(story);
  const { isLost, isRemoved, isRemovedBy } = removals(story);
  const { isOfCutLog } = cuts(story);
  const byJob = Map.groupBy(story.jobs, ({ value }) => value.jobId);
  return ({ asked, calls, originals }: CallReplayLife, { atMs, value }: Job): string | undefined => {
    const copies = originals.get(value.jobId) ?? [];
    const [original] = copies;
    const destinationId = asked.value.toDestinationId ?? asked.value.destinationId ?? "";
    if (original === undefined || value.destinationId !== destinationId) return "is none of its calls";
    const { destinationId: from } = original.value;
    if (!copies.some((copy) => isSameCall({ ...value, destinationId: from }, copy.value)))
      return "is not as it was";
    // What stands where others were lost seems to be committed.
    if ((byJob.get(original.value.jobId) ?? []).some(isOfCutLog)) return undefined;
    const letter = letters.get(original.value.jobId);
    if (letter !== undefined && isRemoved(letter)) return undefined;
    if (calls.which === "delivered" && letter !== undefined && letter.place < asked.place) return "is dead";
    if (calls.which === "dead" && !(letter !== undefined && letter.atMs <= atMs)) return "is not dead";
    const hasEnded =
      (letter !== undefined && letter.atMs <= atMs) ||
      // Where it waited is gone from its log, though a deliverer has it in hand: nobody else can see that it waits.
      (byJob.get(original.value.jobId) ?? []).some((copy) => isLost(copy) || isRemovedBy(atMs, copy)) ||
      eventsOf(original.value).requests.some((each) => isTaken(each) && (each.answeredAtMs ?? 0) <= atMs);
    return hasEnded ? undefined : "has not ended yet";
  };
}

type Committed = Extract<Happening, { kind: "committed" }>;

/**
 * Whether deliverers had committed past all records of a job when the replay was asked for, and did not lose that again: then no look takes it for
 * one that waits. What stands in another's place a commit may name that means the other one.
 */
function settledFinder(story: Story): (life: CallReplayLife, jobId: string) => boolean {
  const { happenings } = story;
  const { isInAnothersPlace } = cuts(story);
  const byJob = Map.groupBy(story.jobs, ({ value }) => value.jobId);
  const nameOf = (place: { readonly topic: string; readonly partition: number }): string =>
    `${place.topic} ${place.partition}`;
  const committed = Map.groupBy(
    happenings.filter((each): each is Committed => each.kind === "committed"),
    ({ partition }) => nameOf(partition),
  );
  const unsure = new Set(
    happenings.flatMap((each) => (each.kind === "commits_lost" ? nameOf(each.partition) : [])),
  );
  return ({ asked, last }, jobId) =>
    (byJob.get(jobId) ?? []).every((job) => {
      const { atMs, record } = job;
      if (atMs > last.atMs) return true;
      if (isInAnothersPlace(job)) return false;
      const passed = committed
        .get(nameOf(record))
        ?.some(
          (each) => each.groupId === "deliverer" && each.atMs < asked.atMs && each.offset > record.offset,
        );
      return passed === true && !unsure.has(nameOf(record));
    });
}

/** Originals that a finished replay has to have sent: what had become of them was known to all who looked. */
function* unsent(life: CallReplayLife, story: Story): Generator<Job> {
  const letters = lettersOf(story);
  const isSettled = settledFinder(story);
  const { isRemoved } = removals(story);
  const { isOfCutLog } = cuts(story);
  const made = new Set(replayJobs(story).map(({ value }) => value.jobId));
  for (const [jobId, originals] of life.originals) {
    const [original] = originals;
    if (original === undefined || made.has(jobId) || originals.some(isRemoved) || originals.some(isOfCutLog))
      continue;
    const letter = letters.get(original.value.jobId);
    if (letter !== undefined && isRemoved(letter)) continue;
    const { which } = life.calls;
    const isDead = letter !== undefined && letter.place < life.asked.place;
    if ((which === "delivered" && letter !== undefined) || (which === "dead" && !isDead)) continue;
    if (isSettled(life, original.value.jobId)) yield original;
  }
}

/** What is sent again is a call that was asked for and has ended, as it was; once the replay is finished that is all of them. */
export const callReplaysSendWhatTheyMean = law(
  "a replay of calls sends what it means and nothing else",
  function* (story) {
    const jobs = Map.groupBy(replayJobs(story), ({ value }) => value.replayId ?? "");
    const whyNot = unmeantFinder(story);
    for (const life of callReplays(story)) {
      for (const job of jobs.get(life.id) ?? []) {
        const why = whyNot(life, job);
        if (why !== undefined)
          yield `${life.id}, ${life.calls.which}: ${callKey(job.value)}, sent at ${job.atMs} ms, ${why}`;
      }
      if (life.last.value.state !== "finished") continue;
      for (const { value } of unsent(life, story))
        yield `${life.id} is finished, and has not sent ${keyAt(value, value.destinationId)}`;
    }
  },
);

/**
 * A call is sent again once, but where who sent it had no time to write how far it was. A job that stands twice, as its router died after it
 * had written it, is written twice too: deliverers take it for one, and that they do is the law of doubles.
 */
export const callsAreSentAgainOnce = law("a replay sends a call once", function* (story) {
  const isUnexplained = againFinder(story);
  const jobs = Map.groupBy(replayJobs(story), ({ value }) => value.jobId);
  for (const { id, originals } of callReplays(story)) {
    for (const [jobId, { length }] of originals) {
      const copies = jobs.get(jobId) ?? [];
      const [first, last] = [copies[0], copies.at(-1)];
      if (first === undefined || last === undefined || copies.length <= length) continue;
      if (isUnexplained(first, last))
        yield `${id}: ${callKey(first.value)} by ${first.process} at ${first.atMs} ms and by ${last.process} at ${last.atMs} ms`;
    }
  }
});

/** Since it sent a job, who has written the last record of the replay has begun anew: what was sent and not counted before that is sent again. */
function isOfEarlierRun(
  { happenings, logs }: Story,
  { atMs, process }: Job,
  { id, last }: ReplayLife,
): boolean {
  const isBetween = (each: { readonly atMs: number; readonly process: string }): boolean =>
    each.process === process && atMs <= each.atMs && each.atMs <= last.atMs;
  const beginsAnew = (each: Happening): boolean =>
    each.kind === "disturbed" && (each.by === "start" || each.by === "rebalance") && isBetween(each);
  const cannotGoOn = (each: LogLine): boolean =>
    each.message === "a replay cannot go on yet" &&
    (each.facts as { readonly replayId?: string }).replayId === id &&
    isBetween(each);
  return process !== last.process || happenings.some(beginsAnew) || logs.some(cannotGoOn);
}

/**
 * What a replay of calls says of itself at its end is so, where no commit was lost and nothing removed: then who comes later counts other calls.
 * So it is with a call whose log was cut: it is not found any more, or was read again and waits.
 */
export const callReplayCountsAreTrue = law("a replay of calls counts what it sent", function* (story) {
  const isUnsure = story.happenings.some(({ kind }) => kind === "commits_lost" || kind === "removed");
  if (isUnsure) return;
  const jobs = Map.groupBy(replayJobs(story), ({ value }) => value.replayId ?? "");
  for (const life of callReplays(story)) {
    const { id, last } = life;
    const { matched, replayed, state } = last.value;
    const made = jobs.get(id) ?? [];
    const counted = made.filter((job) => !isOfEarlierRun(story, job, life) || !isReadAgain(story, job.value));
    const calls = new Set(counted.map(({ value }) => value.jobId)).size;
    if (matched !== replayed) yield `${id} says matched ${matched} and replayed ${replayed}`;
    if (replayed > made.length || (state === "finished" && replayed < calls))
      yield `${id} says replayed ${replayed}, and has sent ${calls}`;
  }
});
