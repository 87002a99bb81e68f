import type { DeliveryJob } from "#topics";
import { behaviourAt } from "../endpoints/script.ts";
import { EPOCH_MS } from "../host/virtual-host.ts";
import type { Happening, WishStep } from "../world/history.ts";
import { goodTime } from "./good-time.ts";
import { callKey, keyAt } from "./identity.ts";
import { isTaken, type JobEvents, jobEvents } from "./job-events.ts";
import { removals } from "./removals.ts";
import { law, type Story, type Written } from "./story.ts";

/** Of time in which nothing hinders the deliverers. */
const CARRIED_OUT_WITHIN_MS = 20_000;
/** A change is in force within a second; what waits for its place at the endpoint by then does so for two at most; the answer is on its way for some milliseconds. */
const IN_FORCE_WITHIN_MS = 3_500;
/** By which clocks of two machines may differ: what another one has put off just before a request may be taken for younger than that. */
const CLOCKS_MS = 5_000;

/** A wish that was answered 2xx. */
interface Granted {
  readonly wish: WishStep;
  readonly askedAtMs: number;
  readonly grantedAtMs: number;
  /** When something else was asked for of the destination that changes what this one means. */
  readonly untilMs: number;
}

type Wished = Extract<Happening, { kind: "wished" }>;

/** What takes back what was asked for before. */
const ENDS: Readonly<Record<WishStep["deed"], readonly WishStep["deed"][]>> = {
  pause: ["resume"],
  resume: ["pause", "switch_off", "delete", "other_webhooks"],
  retry: ["pause", "switch_off", "delete", "other_webhooks"],
  switch_off: ["switch_on"],
  switch_on: [],
  connect: [],
  disconnect: [],
  delete: [],
  other_webhooks: [],
};

function grantedOf({ endedAtMs, happenings }: Story): Granted[] {
  const wished = happenings.filter((happening): happening is Wished => happening.kind === "wished");
  return wished.flatMap(({ atMs: grantedAtMs, state, wish }, index) => {
    if (state !== "granted") return [];
    const isOfIt = (other: Wished): boolean => other.wish.destinationId === wish.destinationId;
    const asked = wished.findLast(
      (other, place) => place < index && other.state === "asked" && other.wish.id === wish.id,
    );
    const end = wished.find(
      (other, place) =>
        place > index &&
        other.state === "asked" &&
        isOfIt(other) &&
        ENDS[wish.deed].includes(other.wish.deed),
    );
    return {
      wish,
      askedAtMs: asked?.atMs ?? grantedAtMs,
      grantedAtMs,
      untilMs: end?.atMs ?? endedAtMs,
    };
  });
}

function urlsOf({ plan }: Story, id: string): readonly string[] {
  return plan.destinations.find((destination) => destination.id === id)?.urls ?? [];
}

/** Those to which nothing may be sent while the wish holds. */
function silencedBy({ deed, destinationId }: WishStep, story: Story): readonly string[] {
  const urls = urlsOf(story, destinationId);
  if (deed === "pause" || deed === "switch_off" || deed === "delete") return urls;
  return deed === "other_webhooks" ? urls.slice(1) : [];
}

/** Of a paused, switched off or deleted destination nothing is begun to be sent. */
export const silenceIsCarriedOut = law("nothing is sent against a wish that was granted", function* (story) {
  const good = goodTime(story, "deliverer");
  for (const { grantedAtMs, untilMs, wish } of grantedOf(story)) {
    const urls = silencedBy(wish, story);
    for (const request of story.requests) {
      const { startedAtMs, url } = request;
      if (!urls.includes(url) || startedAtMs >= untilMs || startedAtMs < grantedAtMs) continue;
      if (good(grantedAtMs, startedAtMs) <= IN_FORCE_WITHIN_MS) continue;
      yield `${callKey(request)} goes to ${url} at ${startedAtMs} ms, which ${wish.id}, ${wish.deed}, forbids since ${grantedAtMs} ms`;
    }
  }
});

/** Its last record when the wish was asked for, where it waited then and has not ended since. */
function waitingAt(jobs: readonly Written<DeliveryJob>[], atMs: number): Written<DeliveryJob> | undefined {
  return jobs.findLast((job) => job.atMs <= atMs);
}

/** Not what failed after it was asked for, as far as the clock of who says so may be believed. */
function isMeant(
  { askedAtMs, wish: { messageIds, userId } }: Granted,
  { value }: Written<DeliveryJob>,
): boolean {
  return (
    (value.failedAtMs ?? 0) - EPOCH_MS <= askedAtMs + CLOCKS_MS &&
    (messageIds === undefined || messageIds.includes(value.messageId)) &&
    (userId === undefined || value.userId === userId)
  );
}

/** What was asked for of it since, or how it ended. */
function answeredAtMs({ deadAtMs, requests }: JobEvents, { deed }: WishStep, fromMs: number): number {
  const asked = deed === "delete" ? [] : requests.map(({ startedAtMs }) => startedAtMs);
  const ended = requests.flatMap((request) => (isTaken(request) ? (request.answeredAtMs ?? 0) : []));
  return Math.min(...[...asked, ...ended, ...deadAtMs].filter((each) => each >= fromMs));
}

/** From when the wish is asked for until it is to be carried out every endpoint is well: no breaker, and no failure, keeps a call back. */
function areWell(story: Story, { askedAtMs, wish }: Granted, untilMs: number): boolean {
  return story.plan.scripts
    .filter(({ url }) => urlsOf(story, wish.destinationId).includes(url))
    .every((script) => {
      const isInTrouble = script.phases.some(
        ({ behaviour, endMs, startMs }) =>
          startMs < untilMs && endMs > askedAtMs && behaviour.kind !== "slow" && behaviour.kind !== "well",
      );
      return !isInTrouble && behaviourAt(script, askedAtMs).kind !== "hanging";
    });
}

/** It was switched off at some time between: a call that came to its end then is not sent. */
function wasOff({ happenings }: Story, { askedAtMs, wish }: Granted, fromMs: number): boolean {
  const switches = happenings.filter(
    (happening): happening is Wished =>
      happening.kind === "wished" && happening.wish.destinationId === wish.destinationId,
  );
  const offs = switches.filter(({ state, wish: { deed } }) => deed === "switch_off" && state === "asked");
  return offs.some(({ atMs }) => {
    const isOn = ({ atMs: onMs, state, wish: { deed } }: Wished): boolean =>
      deed === "switch_on" && state === "granted" && onMs > atMs;
    return atMs <= askedAtMs && (switches.find(isOn)?.atMs ?? Number.POSITIVE_INFINITY) >= fromMs;
  });
}

/** Retention has removed what waited in front of it: a pass leaves all of a log be whose beginning may be in its reader's hand. */
function standsBehindCut({ happenings }: Story, { record }: Written<DeliveryJob>): boolean {
  return happenings.some(
    (happening) =>
      happening.kind === "removed" &&
      happening.partition.topic === record.topic &&
      happening.partition.partition === record.partition &&
      happening.below > 0,
  );
}

/** A request was under way when the wish was asked for: its call waits for its answer, not for anybody's wish. */
function wasInHand({ requests }: JobEvents, { askedAtMs }: Granted): boolean {
  return requests.some(
    ({ answeredAtMs = Number.POSITIVE_INFINITY, startedAtMs }) =>
      startedAtMs <= askedAtMs && answeredAtMs >= askedAtMs,
  );
}

const WAKING: ReadonlySet<WishStep["deed"]> = new Set(["resume", "retry", "delete"]);

/** What waits when somebody asks for it, or its destination is resumed, is asked for soon; of a deleted destination it is a dead letter soon. */
export const wishesAreCarriedOut = law("a wish that was granted is carried out", function* (story) {
  const good = goodTime(story, "deliverer");
  const eventsOf = jobEvents(story);
  const { isRemoved } = removals(story);
  const byJob = Map.groupBy(story.jobs, ({ value }) => value.jobId);
  for (const granted of grantedOf(story)) {
    const { askedAtMs, grantedAtMs, untilMs, wish } = granted;
    if (!WAKING.has(wish.deed)) continue;
    for (const jobs of byJob.values()) {
      const waiting = waitingAt(jobs, askedAtMs - CLOCKS_MS);
      if (waiting?.value.destinationId !== wish.destinationId || !isMeant(granted, waiting)) continue;
      if (jobs.some((job) => isRemoved(job) || standsBehindCut(story, job))) continue;
      const events = eventsOf(waiting.value);
      // A copy of a second routing ends with what it is a copy of.
      const hadEnded = events.deadAtMs.some((deadAtMs) => deadAtMs <= askedAtMs);
      const wasTaken = events.requests.some((each) => isTaken(each) && (each.answeredAtMs ?? 0) <= askedAtMs);
      if (hadEnded || wasTaken || wasInHand(events, granted)) continue;
      if (wish.deed !== "delete" && wasOff(story, granted, waiting.atMs)) continue;
      const doneMs = Math.min(untilMs, answeredAtMs(events, wish, askedAtMs));
      if (good(grantedAtMs, doneMs) <= CARRIED_OUT_WITHIN_MS) continue;
      if (wish.deed !== "delete" && !areWell(story, granted, doneMs)) continue;
      yield `${wish.id}, ${wish.deed}, was granted at ${grantedAtMs} ms, and ${keyAt(waiting.value, wish.destinationId)} waits until ${doneMs} ms`;
    }
  }
});
