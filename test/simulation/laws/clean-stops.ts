import type { Request } from "#testing";
import { cuts } from "./cuts.ts";
import { callKey, keyAt } from "./identity.ts";
import { isTaken } from "./job-events.ts";
import { isOfSpace } from "./space-calls.ts";
import { law, type Story } from "./story.ts";

/** What comes with a stop: its group shares anew. */
const OF_A_STOP: ReadonlySet<string> = new Set(["stop", "rebalance"]);

/** Deliveries of one call to one destination in their order: of those with one webhook, and of calls that became one job and were never put off. */
function* doubles(story: Story): Generator<readonly [first: Request, second: Request, writtenAtMs: number]> {
  const { jobs, plan, requests } = story;
  const { isOfCutLog } = cuts(story);
  const isGiven = isOfSpace(story);
  const taken = Map.groupBy(requests.filter(isTaken), (request) => keyAt(request, request.url));
  for (const { id, urls } of plan.destinations) {
    const [url] = urls;
    if (urls.length !== 1) continue;
    const ofDestination = jobs.filter(({ value }) => value.destinationId === id);
    for (const written of Map.groupBy(ofDestination, ({ value }) => callKey(value)).values()) {
      const [job] = written;
      if (job === undefined || isGiven(job.value) || written.length !== 1 || isOfCutLog(job)) continue;
      const [first, second] = taken.get(keyAt(job.value, url ?? "")) ?? [];
      if (first !== undefined && second !== undefined) yield [first, second, job.atMs];
    }
  }
}

/** A process that is stopped commits what it has done: who comes after it does none of that again, where nothing else went wrong. */
export const cleanStopsDoubleNothing = law("nothing is sent again after a clean stop", function* (story) {
  const disturbed = Map.groupBy(
    story.happenings.filter((happening) => happening.kind === "disturbed"),
    ({ process }) => process,
  );
  for (const [first, second, writtenAtMs] of doubles(story)) {
    const answeredAtMs = first.answeredAtMs ?? 0;
    const meanwhile = [first, second].flatMap(({ process }) =>
      (disturbed.get(process) ?? []).filter(({ atMs }) => writtenAtMs <= atMs && atMs <= second.startedAtMs),
    );
    const stop = meanwhile.find(({ by, process }) => by === "stop" && process === first.process);
    const isClean = meanwhile.every(({ atMs, by }) => OF_A_STOP.has(by) && atMs >= answeredAtMs);
    if (stop !== undefined && isClean)
      yield `${first.messageId} to ${first.url}: by ${first.process} at ${answeredAtMs} ms, which was stopped at ${stop.atMs} ms, and by ${second.process} at ${second.startedAtMs} ms`;
  }
});
