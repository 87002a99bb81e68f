// Laws of destinations that are connected to audiences: what they know in the end is so.
import { SPACE_SOURCE } from "#contract";
import { changeId } from "./audience-changes.ts";
import { silencesOf, silentUntilMs } from "./audience-suppressions.ts";
import { type Truth, truthsOf } from "./audience-truth.ts";
import { versionsOf } from "./audience-versions.ts";
import { audienceLaw, EMPTY } from "./audiences.ts";
import { type Connection, changesAt, connectionsOf, type Told, toldOf } from "./connections.ts";
import { isUntried } from "./job-events.ts";
import { isRefusing } from "./order.ts";
import type { Story } from "./story.ts";

/** As receivers are told to (docs/use/receiving-webhooks.md). */
const BY_TIME = "the newest that it was told";

/** What a receiver goes by, when it is told of one user and audience more than once. */
const RECEIVERS: Readonly<Record<string, (told: readonly Told[]) => Told | undefined>> = {
  "what it was told last": (told) => told.at(-1),
  "what it was told last that it did not know": (told) =>
    told.findLast(
      ({ messageId }, place) => told.findIndex((other) => other.messageId === messageId) === place,
    ),
  [BY_TIME]: (told) =>
    told.reduce<Told | undefined>(
      (newest, one) => (newest === undefined || one.change.atMs >= newest.change.atMs ? one : newest),
      undefined,
    ),
};

/** A sync writes how far it is once a second, and before that waits two seconds. */
const UNDER_WAY_MS = 5_000;

const textsOf = ({ change }: Told): readonly string[] => change.values.map((value) => JSON.stringify(value));

/** When the destination began to be given what there is, for the last time. */
function begunAtMs({ control: { connectionSyncs } }: Story, { id }: Connection): number {
  const own = connectionSyncs.filter(({ value }) => value.id === id && value.isConnected);
  const newestMs = Math.max(...own.map(({ value }) => value.createdAtMs));
  return own.find(({ value }) => value.createdAtMs === newestMs)?.atMs ?? Number.POSITIVE_INFINITY;
}

const isRouters = ({ process }: { readonly process: string }): boolean =>
  process.startsWith("webhook-router");

/**
 * Whether a router was so far behind that it wrote a change for the destination after a sync had given it a later one: who goes by the order in
 * which calls come, and not by their times, stays with the older one (decision 52).
 */
function isOutrun(story: Story, { id }: Connection, { audience, user }: Truth): boolean {
  const changes = changesAt(story, id);
  const written = story.jobs
    .filter((job) => job.value.destinationId === id && isUntried(job))
    .flatMap((job) => {
      const change = changes.get(job.value.messageId);
      const isOfIt = change?.user === user.id && change.audience === audience;
      return isOfIt ? { atMs: change.atMs, isRouted: isRouters(job) } : [];
    });
  return written.some(
    (one, place) =>
      one.isRouted && written.slice(0, place).some(({ atMs, isRouted }) => !isRouted && atMs > one.atMs),
  );
}

/** A router that is hindered may know of a destination later than the second after which what changes is sent by it. */
const IN_FORCE_MS = 1_000;
const LATE_MS = 30_000;

/** Whether no router has written the newest change for the destination, which was connected just before, and something kept routers from knowing so. */
function isUnrouted(story: Story, { begins, id }: Connection, { audience, user }: Truth): boolean {
  const changes = [...changesAt(story, id).values()];
  const newest = changes.findLast((change) => change.user === user.id && change.audience === audience);
  if (newest === undefined) return false;
  const isRouted = story.jobs.some(
    ({ process, value }) =>
      isRouters({ process }) && value.destinationId === id && value.messageId === newest.messageId,
  );
  const routers = story.plan.processes.flatMap(({ name, service }) =>
    service === "webhook-router" ? name : [],
  );
  return (
    !isRouted &&
    begins.some(
      ({ atMs }) =>
        newest.writtenAtMs >= atMs + IN_FORCE_MS &&
        newest.writtenAtMs <= atMs + LATE_MS &&
        story.happenings.some(
          (each) =>
            each.kind === "disturbed" &&
            routers.includes(each.process) &&
            each.atMs >= atMs - LATE_MS &&
            each.atMs <= newest.writtenAtMs + IN_FORCE_MS,
        ),
    )
  );
}

/**
 * Whether audiences said nothing of the user while the destination was given what there is of the audience, as they were suppressed: after a pause, where
 * that was waited for. When that ends differences are sent, and nobody knows that this destination has missed what was so before
 * (docs/use/deletion.md).
 */
function wasSuppressed(story: Story, connection: Connection, { audience, user }: Truth): boolean {
  const sinceMs = begunAtMs(story, connection);
  const own = story.control.connectionSyncs.filter(
    ({ atMs, value }) => value.id === connection.id && atMs >= sinceMs,
  );
  const pass = own.slice(own.findLastIndex(({ value }) => value.heldBackIds.includes(audience.id)) + 1);
  const fromMs = pass[0]?.atMs ?? sinceMs;
  const doneAtMs = pass.find(({ value }) => value.isDone)?.atMs ?? fromMs;
  return (silencesOf(story).get(user.id) ?? []).some(
    (silence) => silence.fromMs <= doneAtMs && silentUntilMs(story, user.id, silence) >= fromMs,
  );
}

/** Of who is no member any more it is told where it knows that since it was connected last, and nothing where it has missed it before. */
function isNothingToTell(wanted: ReadonlySet<string>, last: Told | undefined, sinceMs: number): boolean {
  return [...wanted].every((value) => EMPTY.has(value)) && (last?.writtenAtMs ?? 0) < sinceMs;
}

/** Whoever is connected in the end knows each member and value, and of nobody that they still are one who was so since it was connected. */
export const membersAreTold = audienceLaw("a connected destination knows who is in", function* (story) {
  if (story.drainedAtMs === undefined) return;
  for (const connection of connectionsOf(story).filter(({ isConnected }) => isConnected)) {
    const sinceMs = begunAtMs(story, connection);
    const byPair = Map.groupBy(
      toldOf(story, connection.id),
      ({ change }) => `${change.user} in ${change.audience.key}`,
    );
    for (const truth of truthsOf(story)) {
      const pair = `${truth.user.id} in ${truth.audience.key}`;
      const afterOffset = truth.user.life?.afterOffset ?? -1;
      const told = (byPair.get(pair) ?? []).filter(
        ({ change }) => (change.origin?.incarnation ?? 0) > afterOffset,
      );
      for (const [receiver, lastOf] of Object.entries(RECEIVERS)) {
        // Who corrects what it has given does not know any more what is true of something that is deleted.
        const isUncorrected =
          truth.audience.deletedAtMs !== null || isRefusing(story) || isOutrun(story, connection, truth);
        if (receiver !== BY_TIME && isUncorrected) continue;
        const last = lastOf(told);
        const wanted = truth.insteadOf(last === undefined ? [...EMPTY] : textsOf(last));
        if (wanted === undefined || isNothingToTell(wanted, last, sinceMs)) continue;
        if (isUnrouted(story, connection, truth) || wasSuppressed(story, connection, truth)) continue;
        const known = last === undefined ? "nothing" : textsOf(last)[0];
        yield `${connection.id}: ${pair} is ${known} by ${receiver}, true is ${[...wanted].join(" or ")}`;
      }
    }
  }
});

/** Ids of values that a profile was about to send: one that is deleted before never sends them. */
function* unsentIds(story: Story): Generator<string> {
  const versions = versionsOf(story);
  for (const { record, value } of story.profiles)
    for (const { computationId, generation, seq } of value.outbox) {
      const audience = versions.get(computationId)?.newest;
      if (audience === undefined || record.key === null) continue;
      yield changeId(record.key, audience, { incarnation: value.incarnation, generation, seq });
    }
}

/** What one destination is given all are told, or were, or were about to be. */
export const whatIsToldWasSent = audienceLaw("a destination is given what was sent", function* (story) {
  if (story.drainedAtMs === undefined) return;
  for (const { id } of story.plan.destinations) {
    const changes = changesAt(story, id);
    const jobs = story.jobs.filter(
      (job) => job.value.destinationId === id && job.value.sourceId === SPACE_SOURCE && isUntried(job),
    );
    const unsent = new Set(unsentIds(story));
    for (const { atMs, process, value } of jobs)
      if (value.type === "identify" && !changes.has(value.messageId) && !unsent.has(value.messageId))
        yield `${id}: ${value.messageId} of ${value.userId}, by ${process} at ${atMs} ms, is no change`;
  }
});

/** Who is connected has what there is, but for what is paused; of who is not nobody says so. */
export const syncsEnd = audienceLaw(
  "a destination that is connected is given what there is, and that ends",
  function* (story) {
    if (story.drainedAtMs === undefined || story.plan.members === undefined) return;
    for (const { id, isConnected } of connectionsOf(story)) {
      const last = story.control.connectionSyncs.findLast(({ value }) => value.id === id);
      const sync = last?.value;
      if ((sync?.isConnected ?? false) !== isConnected)
        yield `${id} is ${isConnected ? "" : "not "}connected, its sync says otherwise`;
      if (sync === undefined || !isConnected) continue;
      // Where something is paused a world does not wait for syncs, and may end while one is under way.
      if (!sync.isDone && story.endedAtMs - (last?.atMs ?? 0) > UNDER_WAY_MS)
        yield `${id} is not given everything: it is at ${sync.partition}, ${sync.cursor}`;
      for (const held of sync.heldBackIds) {
        const newest = versionsOf(story).get(held)?.newest;
        if (newest?.isPaused !== true || newest.deletedAtMs !== null)
          yield `${id} waits for ${held}, which is not paused`;
      }
    }
  },
);
