// What the product says of waiting and delivered calls while a world runs.
import { isGivenBySync } from "#contract";
import { type DeliveryJob, type DeliveryWake, topicMap } from "#topics";
import type { Happening } from "../world/history.ts";
import { keyAt, logName } from "./identity.ts";
import { isTaken, ownersOf } from "./job-events.ts";
import { law, type Story, type Written } from "./story.ts";

type Told = Extract<Happening, { kind: "waiting_told" }> & { readonly place: number };
type Committed = Pick<Extract<Happening, { kind: "committed" }>, "offset" | "ahead">;

/** A record that may wait, with what of it the others need. */
interface Job extends Written<DeliveryJob> {
  readonly log: string;
  /** Of its waiting calls' count. */
  readonly group: string;
}

const MINUTE_MS = 60_000;
const DELIVERERS = "deliverer";

const groupOf = (sourceId: string, destinationId: string, type: string, atMs: number): string =>
  `${type} from ${sourceId} to ${destinationId} of ${Math.floor(atMs / MINUTE_MS) * MINUTE_MS}`;

/** Routers have sent it: it is neither a replay's nor given by a sync. */
function isSent({ destinationId, jobId, ...call }: DeliveryJob): boolean {
  return call.replayId === null && !isGivenBySync(jobId, call, destinationId);
}

/** What deliverers have said is done, up to a place in the history. */
class Done {
  readonly #wakes = new Map<string, DeliveryWake>();
  readonly #wakeAt: ReadonlyMap<number, Written<DeliveryWake | null>>;
  readonly #commits = new Map<string, Committed>();
  /** Logs whose last commits were lost: what the one before said is done beyond its offset is not known here. */
  readonly #lost = new Set<string>();
  readonly #begins = new Map<string, number>();

  constructor({ wakes }: Story) {
    this.#wakeAt = new Map(wakes.map((wake) => [wake.place, wake]));
  }

  /** Whether something else is done since. */
  apply(happening: Happening, place: number): boolean {
    const wake = this.#wakeAt.get(place);
    if (wake !== undefined) this.#woke(wake);
    switch (happening.kind) {
      case "committed":
      case "commits_lost": {
        if (happening.groupId !== DELIVERERS) return false;
        const log = logName(happening.partition);
        const isLost = happening.kind === "commits_lost";
        this.#commits.set(log, { offset: happening.offset, ahead: isLost ? [] : happening.ahead });
        if (isLost) this.#lost.add(log);
        else this.#lost.delete(log);
        return true;
      }
      case "removed":
        this.#begins.set(logName(happening.partition), happening.below);
        return true;
      default:
        return wake !== undefined;
    }
  }

  has({ log, record, value }: Job): boolean {
    const { ahead = [], offset = 0 } = this.#commits.get(log) ?? {};
    if (record.offset < Math.max(offset, this.#begins.get(log) ?? 0)) return true;
    if (ahead.some(({ from, to }) => from <= record.offset && record.offset < to)) return true;
    const wake = this.#wakes.get(`${value.destinationId}:${record.topic}:${record.partition}`);
    return wake !== undefined && record.offset < wake.belowOffset && record.timestampMs <= wake.atMs;
  }

  isUnsure({ log }: Job): boolean {
    return this.#lost.has(log);
  }

  #woke({ record: { key }, value }: Written<DeliveryWake | null>): void {
    if (key === null) return;
    if (value === null) this.#wakes.delete(key);
    else this.#wakes.set(key, value);
  }
}

/** Records that were not done at some moment between a question and its answer, and at every moment. */
interface Open {
  readonly sometime: ReadonlySet<Job>;
  readonly always: ReadonlySet<Job>;
}

/** Of each question, with its answer. A log that was cut has others in its places, and its commits say nothing of them: there it ends. */
function* openAt(story: Story): Generator<Open & { readonly told: Told }> {
  const done = new Done(story);
  const jobs = jobsOf(story);
  const questions = story.happenings.flatMap((each, place): Told[] =>
    each.kind === "waiting_told" ? [{ ...each, place }] : [],
  );
  let at = 0;
  for (const told of questions) {
    for (; at < told.askedAtPlace; at += 1) apply(at);
    const written = jobs.filter(({ place }) => place < told.place);
    const before = written.filter(({ place }) => place < told.askedAtPlace);
    const sometime = new Set(written.filter((job) => !done.has(job)));
    const always = new Set(before.filter((job) => !done.has(job) && !done.isUnsure(job)));
    for (; at < told.place; at += 1) {
      if (!apply(at)) continue;
      for (const job of written)
        if (!done.has(job)) sometime.add(job);
        else always.delete(job);
    }
    yield { told, sometime, always };
  }

  function apply(place: number): boolean {
    const happening = story.happenings[place];
    return happening !== undefined && done.apply(happening, place);
  }
}

function jobsOf({ jobs }: Story): Job[] {
  return jobs.map((job) => {
    const { destinationId, receivedAtMs, sourceId, type } = job.value;
    return { ...job, log: logName(job.record), group: groupOf(sourceId, destinationId, type, receivedAtMs) };
  });
}

/** The first place at which a log of waiting jobs was cut. */
function cutAt({ happenings, plan }: Story): number {
  const topics = topicMap({ prefix: "", retryDelaysMs: plan.timing.retryDelaysMs });
  const names = [topics.deliveryJobs, ...topics.deliveryRetries].map(({ name }) => name);
  const place = happenings.findIndex(
    ({ ...each }) => each.kind === "cut" && names.includes(each.partition.topic),
  );
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** Each job once. One of whose webhooks has taken the call is delivered, and what waits is a request to another one. */
function callsIn(jobs: Iterable<Job>, isDelivered: (job: Job) => boolean): ReadonlyMap<string, number> {
  const counted = new Set<string>();
  const calls = new Map<string, number>();
  for (const job of jobs) {
    const { jobId } = job.value;
    if (!isSent(job.value) || isDelivered(job) || counted.has(jobId)) continue;
    counted.add(jobId);
    calls.set(job.group, (calls.get(job.group) ?? 0) + 1);
  }
  return calls;
}

/** Asked at any moment, the product counts each call that the deliverers have not done all the while, and none that they had done before. */
export const waitingIsCounted = law("what waits is what deliverers have not done", function* (story) {
  const endsAt = cutAt(story);
  const taken = Map.groupBy(
    story.jobs.filter(({ value }) => value.unaskedUrls.length > 0),
    ({ value }) => value.jobId,
  );
  for (const { always, sometime, told } of openAt(story)) {
    if (told.place > endsAt) return;
    const isDelivered = ({ value }: Job): boolean =>
      (taken.get(value.jobId) ?? []).some(({ place }) => place < told.place);
    const least = callsIn(always, isDelivered);
    const most = callsIn(sometime, ({ value }) => value.unaskedUrls.length > 0);
    const counted = new Map(
      told.counts.map((each) => [
        groupOf(each.sourceId, each.destinationId, each.type, each.minuteMs),
        each.calls,
      ]),
    );
    for (const group of new Set([...least.keys(), ...counted.keys()])) {
      const calls = counted.get(group) ?? 0;
      const [from, to] = [least.get(group) ?? 0, most.get(group) ?? 0];
      if (calls < from || calls > to)
        yield `${calls} wait at ${told.atMs} ms, ${group}, and there are ${from} to ${to}`;
    }
  }
});

/** What statistics take for delivered has been taken by a webhook: no call that waits or has died is among it. */
export const deliveredWasDelivered = law("what counts as delivered was delivered", function* (story) {
  const { happenings } = story;
  const endsAt = happenings.findIndex(({ kind }) => kind === "cut" || kind === "removed");
  const ownerOf = ownersOf(story);
  const sentAs = Map.groupBy(
    story.jobs.filter(({ value }) => isSent(value)),
    ({ value }) => keyAt(value, value.destinationId),
  );
  const taken = new Set<string>();
  for (const [place, happening] of happenings.entries()) {
    if (place === endsAt) return;
    if (happening.kind === "answered") {
      const { request } = happening;
      if (!isTaken(request)) continue;
      for (const { value } of sentAs.get(keyAt(request, ownerOf.get(request.url))) ?? [])
        taken.add(value.jobId);
    }
    if (happening.kind === "settled_told" && happening.delivered > taken.size)
      yield `${happening.delivered} are delivered by ${happening.process} at ${happening.atMs} ms, and webhooks have taken ${taken.size}`;
  }
});
