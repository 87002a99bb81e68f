import type { DeliveryJob } from "#topics";
import type { Request } from "../endpoints/endpoints.ts";
import type { Happening } from "../world/history.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

/** A commit and what disturbs it may cross on their ways. */
const CROSSING_MS = 500;

/** A member that is missed takes its partitions for its own for half a session more (docs/decisions/0016). */
const UNNOTICED_MS = 3_000 + CROSSING_MS;

/** When something was in a process's hands and not committed yet. */
interface Open {
  readonly process: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

type Disturbed = Extract<Happening, { kind: "disturbed" }>;

/** By topic, partition and offset: when a commit first passed it. */
function commitTimes({ happenings }: Story): (written: Pick<Written<unknown>, "record">) => number {
  const commits = new Map<string, { offset: number; atMs: number }[]>();
  for (const happening of happenings) {
    if (happening.kind !== "committed") continue;
    const { topic, partition } = happening.partition;
    const key = `${topic} ${partition}`;
    const known = commits.get(key) ?? [];
    if (known.length === 0) commits.set(key, known);
    if (happening.offset > (known.at(-1)?.offset ?? 0))
      known.push({ offset: happening.offset, atMs: happening.atMs });
  }
  return ({ record }) =>
    commits.get(`${record.topic} ${record.partition}`)?.find(({ offset }) => offset > record.offset)?.atMs ??
    Number.POSITIVE_INFINITY;
}

/** Deliveries of one call to one webhook, in the order in which they were answered. */
function deliveries({ requests }: Story): Map<string, Request[]> {
  const taken = requests.filter(({ status = 0 }) => status >= 200 && status < 300);
  return Map.groupBy(taken, ({ messageId, url }) => `${messageId} ${url}`);
}

/** Who had the call or its job in hand, and until when that was not committed. */
function opensOf(
  story: Story,
  messageId: string,
  destinationId: string,
  committedAt: ReturnType<typeof commitTimes>,
): Open[] {
  const urls = story.plan.destinations.find(({ id }) => id === destinationId)?.urls ?? [];
  const copies = story.jobs.filter(
    ({ value }) => value.messageId === messageId && value.destinationId === destinationId,
  );
  const deliverers = new Set(
    [
      ...story.requests.filter((request) => request.messageId === messageId && urls.includes(request.url)),
      ...copies.filter(({ value }) => isRetry(value)),
    ].map(({ process }) => process),
  );
  const routers = new Set(copies.filter(({ value }) => !isRetry(value)).map(({ process }) => process));
  const calls = story.calls.filter(({ value }) => value.messageId === messageId);
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

function isRetry({ attempts, diverts }: DeliveryJob): boolean {
  return attempts + diverts > 0;
}

/** Each replay of the call is one more delivery of it; a job that was sent twice is another law's. */
function areReplays(
  { jobs }: Story,
  deliveries: number,
  { messageId, destinationId }: Pick<DeliveryJob, "messageId" | "destinationId">,
): boolean {
  const replayed = jobs.filter(
    ({ value }) =>
      value.replayId !== null &&
      !isRetry(value) &&
      value.messageId === messageId &&
      value.destinationId === destinationId,
  );
  return deliveries <= replayed.length;
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

/** A call is delivered twice only where a process or its hold on a partition went before it was committed. */
export const doublesAreExplained = law("a double only for what was not committed", function* (story) {
  const committedAt = commitTimes(story);
  const disturbed = story.happenings.filter(
    (happening): happening is Disturbed => happening.kind === "disturbed",
  );
  const ownerOf = new Map(
    story.plan.destinations.flatMap(({ id, urls }) => urls.map((url) => [url, id] as const)),
  );
  // A window is made anew from the calls that are still there: what was removed is not known to be a copy any more.
  const { isRemoved } = removals(story);
  const forgotten = new Set(story.calls.filter(isRemoved).map(({ value }) => value.messageId));
  for (const [, delivered] of deliveries(story)) {
    if (delivered.length < 2 || forgotten.has(delivered[0]?.messageId ?? "")) continue;
    const [first, second] = delivered.slice(-2) as [Request, Request];
    const destinationId = ownerOf.get(first.url) ?? "";
    if (areReplays(story, delivered.length, { messageId: first.messageId, destinationId })) continue;
    const open = opensOf(story, first.messageId, destinationId, committedAt);
    const isExplained = disturbed.some(({ process, atMs }) =>
      open.some((each) => each.process === process && each.fromMs <= atMs && atMs <= each.untilMs),
    );
    if (!isExplained && !isUnnoticed(story, [first, second]))
      yield `${first.messageId} to ${first.url}: by ${first.process} at ${first.answeredAtMs} ms and by ${second.process} at ${second.answeredAtMs} ms`;
  }
});
