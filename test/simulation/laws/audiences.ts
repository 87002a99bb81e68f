// Laws of audiences: against what recomputing everything naively gives.
import { messageIdOf } from "#audiences";
import { SPACE_SOURCE } from "#contract";
import type { AudienceConfig, ProfileState } from "#topics";
import { EPOCH_MS } from "../host/virtual-host.ts";
import {
  audiencesOf,
  type Change,
  changesOf,
  type DoneCall,
  isMember,
  peopleOf,
  unlinkedHistoriesOf,
} from "./audience-people.ts";
import { type Law, law, type Story, type Written } from "./story.ts";

/** Memberships end within some two seconds; so does everything else, with nothing going wrong. */
const FRESH_MS = 6_000;
const STEP_MS = 250;

/** A law of worlds in which there are audiences. */
function audienceLaw(name: string, look: (story: Story) => Iterable<string>): Law {
  return law(name, (story) => (story.plan.audiences.length === 0 ? [] : look(story)));
}

const byPair = (changes: readonly Change[]): Map<string, Change[]> =>
  Map.groupBy(changes, ({ audience, user }) => `${user} in ${audience.key}`);

/** First true, then false, and so on: whatever dies, nothing is missing and nothing comes twice under different ids. */
export const changesAlternate = audienceLaw(
  "what is sent of a user and an audience alternates",
  function* (story) {
    for (const [pair, changes] of byPair(changesOf(story))) {
      const values = changes.map(({ value }) => value);
      if (values.some((value, index) => value !== (index % 2 === 0))) yield `${pair}: ${values.join(", ")}`;
    }
  },
);

/** Of two records of a profile the one with the higher (applied offset, version) is the newer. */
function newestProfiles({ profiles }: Story): ReadonlyMap<string, ProfileState> {
  const newest = new Map<string, ProfileState>();
  for (const { record, value } of profiles) {
    const known = newest.get(record.key ?? "");
    const isNewer =
      known === undefined ||
      value.appliedOffset > known.appliedOffset ||
      (value.appliedOffset === known.appliedOffset && value.version >= known.version);
    if (isNewer) newest.set(record.key ?? "", value);
  }
  return newest;
}

/** The ids that all changes of the audience up to now have for the profile. */
function idsOf(user: string, audience: AudienceConfig, { incarnation, results }: ProfileState): string[] {
  const seq = results.find(({ computationId }) => computationId === audience.id)?.seq ?? 0;
  const { generation, id, key } = audience;
  const context = {
    profile: { id: user, incarnation },
    computation: { id, key, definition: { kind: "list" } as const },
    space: { id: SPACE_SOURCE, namespace: "default" },
  };
  return Array.from({ length: seq }, (_, index) =>
    messageIdOf({ computationId: id, generation, seq: index + 1, text: "", atMs: 0 }, context),
  );
}

/** The changes of a user and an audience are numbered without a gap, and their ids say so. */
export const changesAreNumbered = audienceLaw("changes are numbered one after the other", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const sent = byPair(changesOf(story));
  for (const [user, profile] of newestProfiles(story)) {
    if (profile.redirectTo !== null) continue;
    for (const audience of audiencesOf(story)) {
      const ids = sent.get(`${user} in ${audience.key}`)?.map(({ messageId }) => messageId) ?? [];
      const wanted = idsOf(user, audience, profile);
      if (ids.join() !== wanted.join())
        yield `${user} in ${audience.key}: sent ${ids.join(" ")}, the profile has ${wanted.join(" ")}`;
    }
  }
});

/** Whether a call may have made the product judge the user at this moment. */
function isMomentOf(done: DoneCall | undefined, atMs: number): boolean {
  return done !== undefined && (done.call.receivedAtMs === atMs || done.call.atMs === atMs);
}

/**
 * Whether the change holds for the user as known by then: after some calls of the log, which are all that were stored when time changed
 * it, and at least one of that moment when a call did.
 */
function holds({ atMs, audience, value }: Change, history: readonly DoneCall[], story: Story): boolean {
  const audiences = audiencesOf(story);
  const calls = history.map(({ call }) => call);
  for (let known = 0; known <= calls.length; known += 1) {
    const isByCall = history.slice(0, known + 1).some((done) => isMomentOf(done, atMs));
    // Of the same millisecond a call may be stored after the look at where calls end.
    const isByTime = history.slice(known).every(({ storedAtMs }) => EPOCH_MS + storedAtMs >= atMs);
    if (!isByCall && !isByTime) continue;
    const person = { calls: calls.slice(0, known), lists: new Set<string>() };
    if (isMember(audience, person, { nowMs: atMs, audiences }) === value) return true;
  }
  return false;
}

/** No change is sent that was not so: above all nobody leaves for whom a call waits that keeps them. */
export const changesHold = audienceLaw("each change holds at its moment", function* (story) {
  const histories = unlinkedHistoriesOf(story);
  for (const change of changesOf(story)) {
    const history = histories.get(change.user);
    if (history !== undefined && !holds(change, history, story))
      yield `${change.user} in ${change.audience.key}: ${change.value} at ${change.atMs - EPOCH_MS} ms`;
  }
});

/** Once everything is through, who was last sent `true` is who is in the audience by all calls together. */
export const membersAreTrue = audienceLaw("in the end exactly the members are in", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const audiences = audiencesOf(story);
  const sent = byPair(changesOf(story));
  const nowMs = EPOCH_MS + story.endedAtMs;
  for (const [user, person] of peopleOf(story)) {
    if (user.startsWith("anon:")) continue;
    for (const audience of audiences) {
      const last = sent.get(`${user} in ${audience.key}`)?.at(-1)?.value === true;
      let isRight = false;
      for (let atMs = nowMs - FRESH_MS; atMs <= nowMs && !isRight; atMs += STEP_MS)
        isRight = isMember(audience, person, { nowMs: atMs, audiences }) === last;
      if (!isRight) yield `${user} in ${audience.key}: was last sent ${last}`;
    }
  }
});

/** The processor's own commits, of the records that it has to have worked off. */
function* passed({ happenings, profileEvents, profiles }: Story): Generator<string> {
  const events = new Map(profileEvents.map((event) => [placeOf(event), event]));
  const versions = new Map(profiles.map((profile) => [profile.place, profile]));
  const applied = new Map<string, number>();
  const committed = new Map<number, number>();
  const firsts = firstEvents(profileEvents);
  for (const [place, happening] of happenings.entries()) {
    const version = versions.get(place);
    if (version !== undefined) {
      const key = version.record.key ?? "";
      applied.set(key, Math.max(applied.get(key) ?? -1, version.value.appliedOffset));
    }
    if (happening.kind !== "committed" || happening.partition.topic !== "profile-events") continue;
    const { offset: end, partition } = happening;
    for (let offset = committed.get(partition.partition) ?? 0; offset < end; offset += 1) {
      const event = events.get(`${partition.partition} ${offset}`);
      if (event !== undefined && firsts.has(event) && (applied.get(event.record.key ?? "") ?? -1) < offset)
        yield `${happening.process} commits ${end} of profile-events-${partition.partition} at ${happening.atMs} ms, past ${offset}`;
    }
    committed.set(partition.partition, Math.max(committed.get(partition.partition) ?? 0, end));
  }
}

const placeOf = ({ record }: Written<unknown>): string => `${record.partition} ${record.offset}`;

/** Calls that change their profile for certain: no copies, and nothing of who was merged or into whom somebody was. */
function firstEvents(events: Story["profileEvents"]): ReadonlySet<Story["profileEvents"][number]> {
  const linked = events.filter(({ value }) => value.kind !== "call" || value.hops > 0);
  const merged = new Set(linked.map(({ record }) => record.key));
  const known = new Set<string>();
  return new Set(
    events.filter(({ record, value }) => {
      const id = `${record.key} ${value.call?.messageId}`;
      const isFirst = value.kind === "call" && !merged.has(record.key) && !known.has(id);
      known.add(id);
      return isFirst;
    }),
  );
}

/** What a commit passes is in the changelog: whoever restores the profile has it. */
export const noCommitPassesEvent = audienceLaw(
  "no commit passes an event that is not in its profile",
  passed,
);
