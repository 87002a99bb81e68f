import type { Request } from "#testing";
import type { DeliveryJob } from "#topics";
import { topicMap } from "#topics";
import { keyAt } from "./identity.ts";
import type { Story, Written } from "./story.ts";

const FIRST_TOPIC = topicMap({ prefix: "", retryDelaysMs: [] }).deliveryJobs.name;

/** As a router or a replay writes it: no deliverer has had it in hand, or put it off for a pause. */
export function isUntried({ record, value }: Written<DeliveryJob>): boolean {
  return record.topic === FIRST_TOPIC && value.attempts + value.diverts === 0;
}

/** What became of the jobs of one call for one destination. */
export interface JobEvents {
  readonly requests: readonly Request[];
  readonly jobs: readonly Written<DeliveryJob>[];
  readonly deadAtMs: readonly number[];
}

const NOTHING: JobEvents = { requests: [], jobs: [], deadAtMs: [] };

/** The destination of each webhook, by its URL. */
export function ownersOf({ plan }: Pick<Story, "plan">): ReadonlyMap<string, string> {
  return new Map(plan.destinations.flatMap(({ id, urls }) => urls.map((url) => [url, id] as const)));
}

/** By call and destination. */
export function jobEvents(story: Story): (job: DeliveryJob) => JobEvents {
  const ownerOf = ownersOf(story);
  const requests = Map.groupBy(story.requests, (request) => keyAt(request, ownerOf.get(request.url)));
  const jobs = Map.groupBy(story.jobs, ({ value }) => keyAt(value, value.destinationId));
  const letters = Map.groupBy(story.deadLetters, ({ value }) => keyAt(value, value.destinationId));
  return (job) => {
    const key = keyAt(job, job.destinationId);
    return {
      requests: requests.get(key) ?? NOTHING.requests,
      jobs: jobs.get(key) ?? NOTHING.jobs,
      deadAtMs: (letters.get(key) ?? []).map(({ atMs }) => atMs),
    };
  };
}

export function isTaken({ status = 0 }: Request): boolean {
  return status >= 200 && status < 300;
}
