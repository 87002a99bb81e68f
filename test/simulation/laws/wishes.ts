import { EPOCH_MS } from "#testing/host";
import type { DeliveryJob } from "#topics";
import type { Happening, WishStep } from "../world/history.ts";
import { goodTime } from "./good-time.ts";
import { callKey, keyAt, logName } from "./identity.ts";
import { isTaken, isUntried, type JobEvents, jobEvents } from "./job-events.ts";
import { limitedMs } from "./own-limits.ts";
import { removals, standsBehindCut } from "./removals.ts";
import { law, onceOf, type Story, type Written } from "./story.ts";
import { areWell, urlsOf } from "./well-endpoints.ts";

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
        // A process of control may grant what is asked of a destination that another one has just deleted.
        (place > index || other.wish.deed === "delete") &&
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

/** A request was under way when the wish was asked for: its call waits for its answer, not for anybody's wish. */
function wasInHand({ requests }: JobEvents, { askedAtMs }: Granted): boolean {
  return requests.some(
    ({ answeredAtMs = Number.POSITIVE_INFINITY, startedAtMs }) =>
      startedAtMs <= askedAtMs && answeredAtMs >= askedAtMs,
  );
}

interface Meant {
  readonly waiting: Written<DeliveryJob>;
  readonly events: JobEvents;
}

/** The jobs that waited when the wish was asked for and are what it is about. */
function* meantBy(story: Story, granted: Granted): Generator<Meant> {
  const { askedAtMs, wish } = granted;
  const eventsOf = jobEvents(story);
  const { isRemoved } = removals(story);
  for (const jobs of jobsOf(story).values()) {
    const waiting = waitingAt(jobs, askedAtMs - CLOCKS_MS);
    if (waiting?.value.destinationId !== wish.destinationId || !isMeant(granted, waiting)) continue;
    // Who put it off since may have had a clock that was ahead.
    if (jobs.some((job) => job.atMs <= askedAtMs && !isMeant(granted, job))) continue;
    if (jobs.some((job) => isRemoved(job) || standsBehindCut(story, job))) continue;
    const events = eventsOf(waiting.value);
    // A copy of a second routing ends with what it is a copy of.
    const hadEnded = events.deadAtMs.some((deadAtMs) => deadAtMs <= askedAtMs);
    const wasTaken = events.requests.some((each) => isTaken(each) && (each.answeredAtMs ?? 0) <= askedAtMs);
    if (hadEnded || wasTaken || wasInHand(events, granted)) continue;
    if (wish.deed !== "delete" && wasOff(story, granted, waiting.atMs)) continue;
    yield { events, waiting };
  }
}

/** By the job's id. */
const jobsOf = onceOf(({ jobs }) => Map.groupBy(jobs, ({ value }) => value.jobId));

const WAKING: ReadonlySet<WishStep["deed"]> = new Set(["resume", "retry", "delete"]);

/** What waits when somebody asks for it, or its destination is resumed, is asked for soon; of a deleted destination it is a dead letter soon. */
export const wishesAreCarriedOut = law("a wish that was granted is carried out", function* (story) {
  const good = goodTime(story, "deliverer");
  for (const granted of grantedOf(story)) {
    const { askedAtMs, grantedAtMs, untilMs, wish } = granted;
    if (!WAKING.has(wish.deed)) continue;
    for (const { events, waiting } of meantBy(story, granted)) {
      const doneMs = Math.min(untilMs, answeredAtMs(events, wish, askedAtMs));
      if (
        good(grantedAtMs, doneMs) <=
        CARRIED_OUT_WITHIN_MS + limitedMs(story, wish.destinationId, [grantedAtMs, doneMs])
      )
        continue;
      if (wish.deed !== "delete" && !areWell(story, granted, doneMs)) continue;
      yield `${wish.id}, ${wish.deed}, was granted at ${grantedAtMs} ms, and ${keyAt(waiting.value, wish.destinationId)} waits until ${doneMs} ms`;
    }
  }
});

/** What was woken is asked for as soon as it has a place at its endpoint. */
const BEGUN_WITHIN_MS = 3_500;

/**
 * A retry is said to be done when it is: of what it means nothing is left waiting then. Where everything goes well it is said so, too, once
 * deliverers have had their time.
 */
export const doneIsSaid = law("a retry is said to be done when it is", function* (story) {
  const good = goodTime(story, "deliverer");
  const said = story.happenings.filter(
    (happening) => happening.kind === "wished" && happening.state === "said_done",
  );
  for (const granted of grantedOf(story)) {
    const { grantedAtMs, wish } = granted;
    if (wish.deed !== "retry") continue;
    const untilMs = Math.min(granted.untilMs, askedAgainAtMs(story, granted));
    const saidAtMs = said.find((each) => each.kind === "wished" && each.wish.id === wish.id)?.atMs;
    if (saidAtMs === undefined) {
      const hadTime =
        good(grantedAtMs, untilMs) >
          SAID_WITHIN_MS + limitedMs(story, wish.destinationId, [grantedAtMs, untilMs]) &&
        isControlWell(story, grantedAtMs, untilMs);
      if (hadTime && areWell(story, granted, untilMs) && !someAreOutOfSight(story, grantedAtMs))
        yield `${wish.id} was granted at ${grantedAtMs} ms, and nobody says that it is done`;
      continue;
    }
    for (const { events, waiting } of meantBy(story, granted)) {
      const doneMs = answeredAtMs(events, wish, granted.askedAtMs);
      if (saidAtMs >= untilMs || doneMs - saidAtMs <= BEGUN_WITHIN_MS) continue;
      if (!isDisturbed(story, saidAtMs, doneMs) && areWell(story, granted, doneMs))
        yield `${wish.id} is said to be done at ${saidAtMs} ms, and ${keyAt(waiting.value, wish.destinationId)} waits until ${doneMs} ms`;
    }
  }
});

/**
 * Retention has removed what the deliverers have not done when it is asked for, or do not do before: it may be in a reader's hand, where no pass sees
 * it, so nobody says of that partition that it is done.
 */
function someAreOutOfSight({ happenings, jobs }: Story, grantedAtMs: number): boolean {
  const putOff = new Set(jobs.flatMap((job) => (isUntried(job) ? [] : logName(job.record))));
  const committed = new Map<string, number>();
  const below = new Map<string, number>();
  for (const each of happenings) {
    if (each.kind !== "committed" && each.kind !== "removed") continue;
    const place = logName(each.partition);
    if (!putOff.has(place)) continue;
    if (each.kind === "removed") below.set(place, each.below);
    else committed.set(place, each.offset);
    const isOpen = (committed.get(place) ?? 0) < (below.get(place) ?? 0);
    if (isOpen && each.atMs >= grantedAtMs) return true;
  }
  return [...below].some(([place, offset]) => (committed.get(place) ?? 0) < offset);
}

/** The API tells of the last request of a destination alone. */
function askedAgainAtMs({ happenings }: Story, { grantedAtMs, wish }: Granted): number {
  const next = happenings.find(
    (each) =>
      each.kind === "wished" &&
      each.state === "asked" &&
      each.wish.destinationId === wish.destinationId &&
      WAKING.has(each.wish.deed) &&
      each.atMs >= grantedAtMs,
  );
  return next?.atMs ?? Number.POSITIVE_INFINITY;
}

/** Whether something happened to a deliverer since: what it had begun is begun again by another. */
function isDisturbed({ happenings, plan }: Story, fromMs: number, toMs: number): boolean {
  const deliverers = new Set(
    plan.processes.flatMap((each) => (each.service === "deliverer" ? each.name : [])),
  );
  return happenings.some(
    (each) =>
      each.kind === "disturbed" && deliverers.has(each.process) && each.atMs >= fromMs && each.atMs <= toMs,
  );
}

/** The deliverers' time, and a second until control has read of it and somebody looks. */
const SAID_WITHIN_MS = 25_000;

/** Whether nothing hinders control, to whom deliverers tell what they have done. */
function isControlWell(story: Story, fromMs: number, toMs: number): boolean {
  return goodTime(story, "control")(fromMs, toMs) > SAID_WITHIN_MS;
}
