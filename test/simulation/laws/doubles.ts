import { replayJobId } from "#contract";
import type { Request } from "#testing";
import type { Happening } from "../world/history.ts";
import { commitTimes } from "./commit-times.ts";
import { cuts } from "./cuts.ts";
import { callKey, keyAt, type OfCall } from "./identity.ts";
import { isTaken, isUntried, ownersOf } from "./job-events.ts";
import { removals } from "./removals.ts";
import { isOfSpace } from "./space-calls.ts";
import { law, type Story, type Written } from "./story.ts";

/** A commit and what disturbs it may cross on their ways. */
const CROSSING_MS = 500;

/** A member that is missed takes its partitions for its own for half a session more (decision 16). */
const UNNOTICED_MS = 3_000 + CROSSING_MS;

/** Who stops, or gives its partitions to others, ends what it has in hand and commits it first. */
const ORDERLY: ReadonlySet<string> = new Set(["stop", "start", "rebalance"]);

/** When something was in a process's hands and not committed yet. */
interface Open {
  readonly process: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

type Hindrance = Extract<Happening, { kind: "disturbed" | "missed" }>;

/** Whether what was open may be done again for it. Who is missed by its group goes on, and writes, until it notices. */
function explains(hindrance: Hindrance, { fromMs, process, untilMs }: Open): boolean {
  if (hindrance.process !== process || hindrance.atMs > untilMs) return false;
  if (hindrance.kind === "missed") return fromMs <= hindrance.atMs + UNNOTICED_MS;
  return !ORDERLY.has(hindrance.by) && fromMs <= hindrance.atMs;
}

const isSame = (one: OfCall, other: OfCall): boolean => callKey(one) === callKey(other);

/** Deliveries of one call to one webhook, in the order in which they were answered. */
function deliveries({ requests }: Story): Map<string, Request[]> {
  return Map.groupBy(requests.filter(isTaken), (request) => keyAt(request, request.url));
}

/** Who had the call or its job in hand, and until when that was not committed. */
function opensOf(
  story: Story,
  call: OfCall,
  destinationId: string,
  committedAt: ReturnType<typeof commitTimes>,
): Open[] {
  const urls = story.plan.destinations.find(({ id }) => id === destinationId)?.urls ?? [];
  const copies = story.jobs.filter(
    ({ value }) => isSame(value, call) && value.destinationId === destinationId,
  );
  const deliverers = new Set(
    [
      ...story.requests.filter((request) => isSame(request, call) && urls.includes(request.url)),
      ...copies.filter((copy) => !isUntried(copy)),
    ].map(({ process }) => process),
  );
  const routers = new Set(copies.filter(isUntried).map(({ process }) => process));
  const calls = story.calls.filter(({ value }) => isSame(value, call));
  return [...opens(copies, deliverers, committedAt), ...opens(calls, routers, committedAt)];
}

function opens(
  written: readonly Written<unknown>[],
  processes: ReadonlySet<string>,
  committedAt: ReturnType<typeof commitTimes>,
): Open[] {
  return written.flatMap((each) =>
    [...processes].map((process) => ({
      process,
      fromMs: each.atMs,
      untilMs: committedAt(each) + CROSSING_MS,
    })),
  );
}

/**
 * Each replay of the call is one more delivery of it; a job that was sent twice is another law's. Of a call that was delivered its own delivery
 * comes before them, and a job of it that its router has written twice is written twice by a replay of calls, and is one all the same.
 */
function areReplays(
  { jobs, replays }: Story,
  deliveries: number,
  call: OfCall,
  destinationId: string,
): boolean {
  const untried = jobs.filter((job) => isUntried(job) && isSame(job.value, call));
  const ofCalls = new Set(replays.flatMap(({ value }) => ((value.calls ?? null) === null ? [] : value.id)));
  const replayed = untried.filter(
    ({ value }) => value.replayId !== null && value.destinationId === destinationId,
  );
  const standsAgain = (jobId: string, replayId: string): number =>
    untried.filter(({ value }) => value.replayId === null && replayJobId(value.jobId, replayId) === jobId)
      .length - 1;
  const again = [...Map.groupBy(replayed, ({ value }) => value.jobId)].map(([jobId, copies]) => {
    const replayId = copies[0]?.value.replayId ?? "";
    return ofCalls.has(replayId) ? Math.max(1, copies.length - standsAgain(jobId, replayId)) : copies.length;
  });
  const isOfDelivered = replayed.some(({ value }) => ofCalls.has(value.replayId ?? ""));
  return deliveries <= again.reduce((sum, each) => sum + each, isOfDelivered ? 1 : 0);
}

/** Whether one who asked was missed by its group just before, and did not know yet. */
function isUnnoticed({ happenings }: Story, requests: readonly Request[]): boolean {
  return happenings.some(
    (happening) =>
      happening.kind === "missed" &&
      requests.some(
        ({ process, startedAtMs }) =>
          process === happening.process &&
          happening.atMs <= startedAtMs &&
          startedAtMs <= happening.atMs + UNNOTICED_MS,
      ),
  );
}

/** A log that was cut is read again from a time before that (docs/operate/metrics.md): what was done of it is done once more. */
export function isReadAgain(story: Story, call: OfCall): boolean {
  const { isOfCutLog } = cuts(story);
  return [...story.calls, ...story.jobs].some(
    (written) => isSame(written.value, call) && isOfCutLog(written),
  );
}

/** A call is delivered twice only where a process went, or was hindered, before it was committed; a clean stop and a rebalance double nothing. */
export const doublesAreExplained = law("a double only for what was not committed", function* (story) {
  const committedAt = commitTimes(story);
  const hindrances = story.happenings.filter(
    (happening): happening is Hindrance => happening.kind === "disturbed" || happening.kind === "missed",
  );
  const ownerOf = ownersOf(story);
  // A window is made anew from the calls that are still there: what was removed is not known to be a copy any more.
  const { isRemoved } = removals(story);
  const isGiven = isOfSpace(story);
  const forgotten = new Set(story.calls.filter(isRemoved).map(({ value }) => callKey(value)));
  for (const [, delivered] of deliveries(story)) {
    if (delivered.length < 2) continue;
    const [first, second] = delivered.slice(-2) as [Request, Request];
    if (isGiven(first) || forgotten.has(callKey(first)) || isReadAgain(story, first)) continue;
    const destinationId = ownerOf.get(first.url) ?? "";
    if (areReplays(story, delivered.length, first, destinationId)) continue;
    const open = opensOf(story, first, destinationId, committedAt);
    const isExplained = hindrances.some((each) => open.some((one) => explains(each, one)));
    if (!isExplained && !isUnnoticed(story, [first, second]))
      yield `${keyAt(first, first.url)}: by ${first.process} at ${first.answeredAtMs} ms and by ${second.process} at ${second.answeredAtMs} ms`;
  }
});
