// Laws of audiences: against what recomputing everything naively gives.

import { EPOCH_MS } from "#testing/host";
import type { AudienceConfig } from "#topics";
import { type Change, changesOf } from "./audience-changes.ts";
import { type Happened, type Life, livesOf, personOf } from "./audience-lives.ts";
import {
  asksAboutUsers,
  isOfAccounts,
  mergedOf,
  naiveValue,
  overtakenOf,
  peopleOf,
  type Question,
  type Somebody,
} from "./audience-people.ts";
import { skewOf } from "./audience-skew.ts";
import { type Silence, silencesOf, silentInTheEnd, silentUntilMs } from "./audience-suppressions.ts";
import { type Versions, versionsOf } from "./audience-versions.ts";
import { audienceLaw, byPair, EMPTY } from "./audiences.ts";
import type { Story } from "./story.ts";

/** Memberships end within some two seconds; so does everything else, with nothing going wrong. */
const FRESH_MS = 6_000;
/** Nearly every value that was sent last is true at one of these moments; the others are looked for at every one. */
const STEPS_MS = [250, 1];

/** Every version of what a definition names may hold while another one is prepared. */
function* namedChoices(story: Story): Generator<(key: string) => Question | undefined> {
  const all = [...versionsOf(story).values()];
  const depth = Math.max(1, ...all.map(({ definitions }) => definitions.size));
  for (let back = 0; back < depth; back += 1)
    yield (key) => {
      const versions = all.find(({ newest }) => newest.key === key);
      return versions && questionOf(versions, [...versions.definitions.keys()].sort((a, b) => b - a)[back]);
    };
}

function questionOf({ definitions, newest }: Versions, generation = newest.generation): Question {
  const definition = definitions.get(generation);
  return { kind: newest.kind, id: newest.id, definition: definition === undefined ? "{}" : definition };
}

const namesOthers = (definition: string | null): boolean => definition?.includes('"audience"') ?? false;

/** Whether something of the life may have made the product judge the user at this moment. */
function isMomentOf({ momentsMs }: Happened, atMs: number, skewMs: number): boolean {
  return momentsMs.some((momentMs) => Math.abs(momentMs - atMs) <= skewMs);
}

/**
 * Whether the change holds for the user as known by then: after some events of the log, which are all that were stored when time changed
 * it, and at least one of that moment when an event did.
 */
function holdsAt(
  { audience, origin, values }: Change,
  atMs: number,
  { life: { events }, story }: { readonly life: Life; readonly story: Story },
): boolean {
  const versions = versionsOf(story).get(audience.id);
  if (versions === undefined) return false;
  const question = questionOf(versions, origin?.generation);
  const skewMs = skewOf(story);
  const wanted = new Set(values.map((value) => JSON.stringify(value)));
  const choices = namesOthers(question.definition) ? [...namedChoices(story)] : [() => undefined];
  for (let known = 0; known <= events.length; known += 1) {
    const isByEvent = events.slice(0, known + 1).some((event) => isMomentOf(event, atMs, skewMs));
    // Of the same millisecond a call may be stored after the look at where calls end.
    const isByTime = events.slice(known).every(({ storedAtMs }) => storedAtMs + skewMs >= atMs);
    if (!isByEvent && !isByTime) continue;
    const person = personOf(events.slice(0, known));
    for (const named of choices)
      if (wanted.has(JSON.stringify(naiveValue(question, person, { nowMs: atMs, named })))) return true;
  }
  return false;
}

/**
 * The moments for which the change may have been judged: its own, and where it follows another one of the user by a millisecond, those that come
 * before, as times rise: of the same audience, and over one that the profile has forgotten since. One that a deletion has dropped unsent was judged
 * by an event of an earlier life, and waiting calls of this one may have come before that.
 */
function momentsOf(
  { atMs }: Change,
  times: ReadonlySet<number>,
  { life: { earlierMs, events }, story }: { readonly life: Life; readonly story: Story },
): number[] {
  const moments = [atMs];
  while (times.has((moments.at(-1) ?? 0) - 1)) moments.push((moments.at(-1) ?? 0) - 1);
  const firstMs = moments.at(-1) ?? 0;
  const slackMs = skewOf(story) + 1;
  if (!earlierMs.some((momentMs) => Math.abs(momentMs - firstMs) <= slackMs)) return moments;
  const own = events.flatMap(({ momentsMs }) => momentsMs);
  return [...moments, ...own.filter((momentMs) => momentMs < firstMs)];
}

/** The life that the change is of. */
function lifeOf({ origin }: Change, lives: readonly Life[]): Life | undefined {
  return lives.findLast(({ afterOffset }) => origin !== undefined && afterOffset < origin.incarnation);
}

const isExit = ({ audience, value }: Change): boolean =>
  audience.deletedAtMs !== null && audience.isExitAll && value === false;

/** No change is sent that was not so: above all nobody leaves for whom a call waits that keeps them. */
export const changesHold = audienceLaw("each change holds at its moment", function* (story) {
  const all = livesOf(story);
  const byUser = Map.groupBy(changesOf(story), ({ user }) => user);
  const times = new Map(Array.from(byUser, ([user, some]) => [user, new Set(some.map(({ atMs }) => atMs))]));
  for (const change of changesOf(story)) {
    const life = lifeOf(change, all.get(change.user) ?? []);
    if (life === undefined || !life.isCertain || isExit(change) || asksAboutUsers(change.audience)) continue;
    const moments = momentsOf(change, times.get(change.user) ?? new Set(), { life, story });
    if (!moments.some((atMs) => holdsAt(change, atMs, { life, story })))
      yield `${change.user} in ${change.audience.key}: ${JSON.stringify(change.value)} at ${change.atMs - EPOCH_MS} ms`;
  }
});

/** An account learns of a user's change a while after it, and longer while processors are down. */
const LEARNT_WITHIN_MS = 30_000;

const isExcluding = ({ definition }: Pick<AudienceConfig, "definition">): boolean =>
  /"not"|"eq"/.test(definition ?? "");

function hasCallsBefore({ calls, users }: Somebody, atMs: number): boolean {
  const all = [...calls, ...[...(users?.values() ?? [])].flatMap((user) => user.calls)];
  return all.some(({ receivedAtMs }) => receivedAtMs <= atMs && receivedAtMs > atMs - LEARNT_WITHIN_MS);
}

function knownBy({ calls, users, ...person }: Somebody, atMs: number): Somebody {
  const of = (all: Somebody["calls"]) => all.filter(({ receivedAtMs }) => receivedAtMs <= atMs);
  const known = Array.from(users ?? [], ([id, user]) => [id, { ...user, calls: of(user.calls) }] as const);
  return { ...person, calls: of(calls), users: new Map(known) };
}

/** What an account is told of its members is told as it is, and of all of them before anything follows from it. */
export const membersChangesHold = audienceLaw(
  "each change by members was so shortly before",
  function* (story) {
    const all = [...versionsOf(story).values()];
    const named = (key: string): Question | undefined => all.find(({ newest }) => newest.key === key)?.newest;
    // The account's clock may be behind that of the user's partition.
    const skewMs = skewOf(story) + (STEPS_MS[0] ?? 0);
    const merged = mergedOf(story);
    const linked = new Set([...merged.keys(), ...merged.values()]);
    const accounts = new Map(Array.from(usersOf(story), (user) => [user.id, user]));
    for (const { atMs, audience, user, value } of changesOf(story)) {
      if (!asksAboutUsers(audience)) continue;
      const { hasUnsure = true, person } = accounts.get(user) ?? {};
      const isSure =
        !hasUnsure && person?.users !== undefined && ![...person.users.keys()].some((id) => linked.has(id));
      if (!isSure) continue;
      // A call leads into an audience that the condition excludes, and is counted a moment before the account learns that.
      if (isExcluding(audience) && hasCallsBefore(person, atMs)) continue;
      let wasSo = false;
      for (let back = -skewMs; back <= LEARNT_WITHIN_MS && !wasSo; back += STEPS_MS[0] ?? 1) {
        const nowMs = atMs - back;
        // A late call that came after that moment had changed nothing yet.
        for (const known of [person, knownBy(person, nowMs), knownBy(person, atMs)])
          wasSo ||= naiveValue(audience, known, { nowMs, named }) === value;
      }
      if (!wasSo) yield `${user} in ${audience.key}: ${JSON.stringify(value)} at ${atMs - EPOCH_MS} ms`;
    }
  },
);

interface User {
  readonly id: string;
  /** The last one; undefined: the user was linked, and nobody was deleted. */
  readonly life: Life | undefined;
  /** undefined: there is nobody, of whom nothing is to be said. */
  readonly person: Somebody | undefined;
  /** Of an account: some of its members were regulated, so that it is chance what it is told of them. */
  readonly hasUnsure?: boolean;
}

/**
 * Those of whom it is chance who they are in the end: linked users of whom somebody was suppressed or deleted, as logs meet in any order; and
 * whose calls a copy overtook. Nor is anything to be said of those who are suppressed.
 */
function unsureOf(story: Story, regulated: ReadonlySet<string>): ReadonlySet<string> {
  const merged = mergedOf(story);
  const linked = new Set([...merged.keys(), ...merged.values()]);
  const ofLinked = [...regulated].filter((id) => linked.has(id)).map((id) => merged.get(id) ?? id);
  const silent = [...silentInTheEnd(story)].flatMap(([id, isSilent]) => (isSilent ? id : []));
  return new Set([...ofLinked, ...silent, ...overtakenOf(story)]);
}

/** Who was deleted, or suppressed. */
const regulatedOf = ({ profileEvents }: Story): ReadonlySet<string> =>
  new Set(
    profileEvents.flatMap(({ record, value }) =>
      value.kind === "delete" || value.kind === "suppress" ? (record.key ?? []) : [],
    ),
  );

/** Everybody, as they are in the end. Of who was never deleted or suppressed by the calls alone: none may be lost on the way to the profile. */
function* usersOf(story: Story): Generator<User> {
  const people = peopleOf(story);
  const lives = livesOf(story);
  const regulated = regulatedOf(story);
  const unsure = unsureOf(story, regulated);
  for (const id of new Set([...people.keys(), ...lives.keys()])) {
    if (id.startsWith("anon:") || unsure.has(id)) continue;
    const life = lives.get(id)?.at(-1);
    const given = people.get(id);
    const events = life?.events ?? [];
    if (given !== undefined && !regulated.has(id))
      yield {
        id,
        life,
        person: { ...given, lists: personOf(events).lists },
        hasUnsure: [...(given.users?.keys() ?? [])].some((user) => unsure.has(user) || regulated.has(user)),
      };
    else if (life?.isCertain !== false) yield { id, life, person: someoneOf(events) };
  }
}

/** undefined where nothing has happened that counts. */
function someoneOf(events: readonly Happened[]): Somebody | undefined {
  const isKnown = events.some(({ call, list }) => call !== undefined || list !== undefined);
  return isKnown ? personOf(events) : undefined;
}

/** The values that may have been sent last: what is true while everything becomes known. */
function trueValues(
  { newest }: Versions,
  { person }: User,
  { story, named, stepMs }: { story: Story; named: (key: string) => Question | undefined; stepMs: number },
): ReadonlySet<string> {
  // Nobody, or nobody any more, is in it; what was sent of a computed trait stays.
  if (person === undefined || newest.deletedAtMs !== null) return new Set(["false"]);
  const nowMs = EPOCH_MS + story.endedAtMs;
  const skewMs = skewOf(story);
  const values = new Set<string>();
  for (let atMs = nowMs - FRESH_MS - skewMs; atMs <= nowMs + skewMs; atMs += stepMs)
    values.add(JSON.stringify(naiveValue(newest, person, { nowMs: atMs, named })));
  return values;
}

/** What was sent last in the life, JSON; of nothing what an empty value is. */
function lastOf(changes: readonly Change[], life: Life | undefined): readonly string[] {
  const own = changes.filter(({ origin }) => (origin?.incarnation ?? 0) > (life?.afterOffset ?? -1));
  return own.at(-1)?.values.map((value) => JSON.stringify(value)) ?? [...EMPTY];
}

/** Nothing is to be sent of it: then what was sent last may be anything. */
const isSilent = ({ deletedAtMs, isExitAll, isPaused, kind }: AudienceConfig): boolean =>
  deletedAtMs === null ? isPaused : !isExitAll || kind === "trait";

/**
 * Of an audience that is deleted while its member is suppressed nothing is sent, and nothing is known any more when that ends. The processor reads
 * audiences and events apart: it may learn of the deletion while the end of the suppression waits in the log.
 */
function isForgotten(
  story: Story,
  { deletedAtMs }: AudienceConfig,
  silences: readonly Silence[],
  user: string,
) {
  if (deletedAtMs === null) return false;
  return silences.some((silence) => EPOCH_MS + silentUntilMs(story, user, silence) > deletedAtMs);
}

/** What is true of a user and an audience in the end. */
export interface Truth {
  readonly user: User;
  readonly audience: AudienceConfig;
  /** What is true, or was a moment ago, JSON; undefined when some of what may have been sent last is among it. */
  insteadOf(last: readonly string[]): ReadonlySet<string> | undefined;
}

/** Of everybody of whom something is to be said. */
export function* truthsOf(story: Story): Generator<Truth> {
  const all = [...versionsOf(story).values()];
  const named = (key: string): Question | undefined => all.find(({ newest }) => newest.key === key)?.newest;
  const silences = silencesOf(story);
  for (const user of usersOf(story))
    for (const versions of all) {
      if (isOfAccounts(versions.newest) !== user.id.startsWith("group:")) continue;
      if (user.hasUnsure === true && asksAboutUsers(versions.newest)) continue;
      if (
        isSilent(versions.newest) ||
        isForgotten(story, versions.newest, silences.get(user.id) ?? [], user.id)
      )
        continue;
      const insteadOf = (last: readonly string[]): ReadonlySet<string> | undefined => {
        let wanted: ReadonlySet<string> | undefined;
        for (const stepMs of STEPS_MS) {
          wanted = trueValues(versions, user, { story, named, stepMs });
          if (last.some((value) => wanted?.has(value))) return undefined;
        }
        return wanted;
      };
      yield { user, audience: versions.newest, insteadOf };
    }
}

/** Once everything is through, who was last sent `true` is who is in the audience by all calls together; so with computed traits. */
export const membersAreTrue = audienceLaw("in the end exactly the members are in", function* (story) {
  if (story.drainedAtMs === undefined) return;
  const sent = byPair(changesOf(story));
  for (const { audience, insteadOf, user } of truthsOf(story)) {
    const last = lastOf(sent.get(`${user.id} in ${audience.key}`) ?? [], user.life);
    const wanted = insteadOf(last);
    if (wanted !== undefined)
      yield `${user.id} in ${audience.key}: was last sent ${last[0]}, true is ${[...wanted].join(" or ")}`;
  }
});
