import type { DeliveryJob } from "#topics";
import type { Happening } from "../world/history.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

type Committed = Extract<Happening, { kind: "committed" }>;

function nameOf({ topic, partition }: Committed["partition"]): string {
  return `${topic}-${partition}`;
}

/** A group's commit only goes on. */
export const noCommitGoesBack = law("no commit goes back", function* ({ happenings }) {
  const committed = new Map<string, number>();
  for (const happening of happenings) {
    // One below 0 gives a place up that is below the start of the log.
    if (happening.kind !== "committed" || happening.offset < 0) continue;
    const key = `${happening.groupId} ${nameOf(happening.partition)}`;
    const before = committed.get(key) ?? 0;
    if (happening.offset < before)
      yield `${happening.process} commits ${happening.offset} of ${key} at ${happening.atMs} ms, where ${before} was committed`;
    committed.set(key, happening.offset);
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
  readonly jobAt: ReadonlyMap<string, Written<DeliveryJob>>;
  readonly jobsOfMessage: ReadonlyMap<string, readonly string[]>;
  readonly letterAt: ReadonlyMap<number, string>;
}

function booksOf({ deadLetters, jobs, plan }: Story): Books {
  const jobAt = new Map(jobs.map((job) => [`${nameOf(job.record)} ${job.record.offset}`, job]));
  const ownerOf = new Map(plan.destinations.flatMap(({ id, urls }) => urls.map((url) => [id, url] as const)));
  const jobsOfMessage = new Map<string, string[]>();
  for (const { value } of jobs) {
    if (!ownerOf.has(value.destinationId)) continue;
    const key = `${value.messageId} ${value.destinationId}`;
    const known = jobsOfMessage.get(key) ?? [];
    if (!known.includes(value.jobId)) jobsOfMessage.set(key, [...known, value.jobId]);
  }
  const letterAt = new Map(deadLetters.map(({ place, value }) => [place, value.id]));
  return { jobAt, jobsOfMessage, letterAt };
}

/** No commit of the deliverers passes a job whose outcome is not durable. */
export const noCommitPassesWork = law("no commit passes a job that is not settled", function* (story) {
  const books = booksOf(story);
  const outcomes = new JobOutcomes();
  const ownerOf = new Map(
    story.plan.destinations.flatMap(({ id, urls }) => urls.map((url) => [url, id] as const)),
  );
  const committed = new Map<string, number>();
  const { isLost } = removals(story);
  for (const [place, happening] of story.happenings.entries()) {
    if (happening.kind === "appended") {
      const letter = books.letterAt.get(place);
      if (letter !== undefined) outcomes.ended(letter);
      const job = books.jobAt.get(`${nameOf(happening.record)} ${happening.record.offset}`);
      if (job !== undefined) outcomes.written(job);
    }
    if (happening.kind === "answered") {
      const { messageId, status = 0, url } = happening.request;
      if (status < 200 || status >= 300) continue;
      for (const id of books.jobsOfMessage.get(`${messageId} ${ownerOf.get(url)}`) ?? [])
        if (outcomes.isWritten(id)) outcomes.ended(id);
    }
    if (happening.kind !== "committed") continue;
    const key = nameOf(happening.partition);
    for (let offset = committed.get(key) ?? 0; offset < happening.offset; offset += 1) {
      const job = books.jobAt.get(`${key} ${offset}`);
      if (job !== undefined && !outcomes.isSettled(job) && !isLost(job))
        yield `${happening.process} commits ${happening.offset} of ${key} at ${happening.atMs} ms, past ${offset}: ${job.value.messageId} to ${job.value.destinationId}`;
    }
    committed.set(key, Math.max(committed.get(key) ?? 0, happening.offset));
  }
});
