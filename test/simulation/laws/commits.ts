import type { DeliveryJob } from "#topics";
import { cuts } from "./cuts.ts";
import { keyAt, logName } from "./identity.ts";
import { isTaken, ownersOf } from "./job-events.ts";
import { passedBy } from "./passed.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

/** A group's commit only goes on, but where it was lost, and once where a process says that the log ends before it. */
export const noCommitGoesBack = law("no commit goes back", function* (story) {
  const { said } = cuts(story);
  const committed = new Map<string, number>();
  /** How many have said so of a log, and have not gone back yet. */
  const mayGoBack = new Map<string, number>();
  let isSaid = 0;
  for (const happening of story.happenings) {
    const isLost = happening.kind === "commits_lost";
    // One below 0 gives a place up that is below the start of the log.
    if (!isLost && (happening.kind !== "committed" || happening.offset < 0)) continue;
    for (let cut = said[isSaid]; cut !== undefined && cut.atMs <= happening.atMs; cut = said[isSaid]) {
      mayGoBack.set(logName(cut), (mayGoBack.get(logName(cut)) ?? 0) + 1);
      isSaid += 1;
    }
    const name = logName(happening.partition);
    const key = `${happening.groupId} ${name}`;
    const before = committed.get(key) ?? 0;
    committed.set(key, happening.offset);
    const turns = mayGoBack.get(name) ?? 0;
    // The one that went back may be among those that were lost.
    if (isLost && mayGoBack.has(name)) mayGoBack.set(name, turns + 1);
    if (isLost || happening.offset >= before) continue;
    mayGoBack.set(name, turns - 1);
    if (turns <= 0)
      yield `${happening.process} commits ${happening.offset} of ${key} at ${happening.atMs} ms, where ${before} was committed`;
  }
});

/** The job has come further in another record, or as far in one that was written later: a hop, or a copy after a crash. */
function isLater(one: Written<DeliveryJob>, other: Written<DeliveryJob>): boolean {
  const [a, b] = [one, other].map(({ value }) => value.attempts + value.diverts) as [number, number];
  return a > b || (a === b && one.place > other.place);
}

/** What is known of each job up to a place in the history. */
class JobOutcomes {
  readonly #ended = new Set<string>();
  readonly #furthest = new Map<string, Written<DeliveryJob>>();

  written(job: Written<DeliveryJob>): void {
    const before = this.#furthest.get(job.value.jobId);
    if (before === undefined || isLater(job, before)) this.#furthest.set(job.value.jobId, job);
  }

  ended(jobId: string): void {
    this.#ended.add(jobId);
  }

  isWritten(jobId: string): boolean {
    return this.#furthest.has(jobId);
  }

  isSettled(job: Written<DeliveryJob>): boolean {
    const { jobId } = job.value;
    const furthest = this.#furthest.get(jobId);
    return this.#ended.has(jobId) || (furthest !== undefined && isLater(furthest, job));
  }
}

interface Books {
  /** By place in the history. */
  readonly jobAt: ReadonlyMap<number, Written<DeliveryJob>>;
  readonly jobsOfCall: ReadonlyMap<string, readonly string[]>;
  readonly letterAt: ReadonlyMap<number, string>;
}

function booksOf({ deadLetters, jobs, plan }: Story): Books {
  const jobAt = new Map(jobs.map((job) => [job.place, job]));
  const planned = new Set(plan.destinations.map(({ id }) => id));
  const jobsOfCall = new Map<string, string[]>();
  for (const { value } of jobs) {
    if (!planned.has(value.destinationId)) continue;
    const key = keyAt(value, value.destinationId);
    const known = jobsOfCall.get(key) ?? [];
    if (!known.includes(value.jobId)) jobsOfCall.set(key, [...known, value.jobId]);
  }
  const letterAt = new Map(deadLetters.map(({ place, value }) => [place, value.id]));
  return { jobAt, jobsOfCall, letterAt };
}

/** No commit of the deliverers passes a job whose outcome is not durable. */
export const noCommitPassesWork = law("no commit passes a job that is not settled", function* (story) {
  const books = booksOf(story);
  const outcomes = new JobOutcomes();
  const jobAt = new Map<string, Written<DeliveryJob>>();
  const ownerOf = ownersOf(story);
  const committed = new Map<string, number>();
  const { isLost } = removals(story);
  const { isInAnothersPlace } = cuts(story);
  for (const [place, happening] of story.happenings.entries()) {
    if (happening.kind === "appended") {
      const letter = books.letterAt.get(place);
      if (letter !== undefined) outcomes.ended(letter);
      const job = books.jobAt.get(place);
      if (job === undefined) continue;
      // Where a log was cut another one stands.
      jobAt.set(`${logName(job.record)} ${job.record.offset}`, job);
      outcomes.written(job);
    }
    if (happening.kind === "answered") {
      const { request } = happening;
      if (!isTaken(request)) continue;
      for (const id of books.jobsOfCall.get(keyAt(request, ownerOf.get(request.url))) ?? [])
        if (outcomes.isWritten(id)) outcomes.ended(id);
    }
    if (happening.kind !== "committed") continue;
    const key = logName(happening.partition);
    for (const offset of passedBy(happening, committed.get(key) ?? 0)) {
      const job = jobAt.get(`${key} ${offset}`);
      if (job !== undefined && !outcomes.isSettled(job) && !isLost(job) && !isInAnothersPlace(job))
        yield `${happening.process} commits ${happening.offset} of ${key} at ${happening.atMs} ms, past ${offset}: ${keyAt(job.value, job.value.destinationId)}`;
    }
    committed.set(key, Math.max(committed.get(key) ?? 0, happening.offset));
  }
});
