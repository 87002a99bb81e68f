// Laws of audiences: the track calls of changes. Each profile that has a change to send says whether that has one.
import { TRACK_EVENTS, trackMessageIdOf } from "#audiences";
import { SPACE_SOURCE } from "#contract";
import { EPOCH_MS } from "#testing/host";
import type { Call, ProfileFlip } from "#topics";
import { type Change, changeKey, changesOf, type Origin } from "./audience-changes.ts";
import { versionsOf } from "./audience-versions.ts";
import { audienceLaw } from "./audiences.ts";
import type { Story, Written } from "./story.ts";

/** By then the first pass over the profiles is over in every partition, with nothing going wrong. */
const FIRST_PASS_MS = 20_000;

export function trackId(user: string, { id }: { readonly id: string }, origin: Origin): string {
  const profile = { id: user, incarnation: origin.incarnation };
  return trackMessageIdOf(origin, { profile, computation: { id } });
}

type Flips = ReadonlyMap<string, readonly ProfileFlip[]>;

/** As profiles had them to send, by what names a change. */
function flipsOf({ profiles }: Story): Flips {
  const all = new Map<string, ProfileFlip[]>();
  for (const { record, value } of profiles)
    for (const flip of value.outbox) {
      const key = changeKey(record.key ?? "", flip.computationId, { ...value, ...flip });
      all.set(key, [...(all.get(key) ?? []), flip]);
    }
  return all;
}

/** First writings, by message id. */
function writtenOf(story: Story): ReadonlyMap<string, Written<Call>> {
  const first = new Map<string, Written<Call>>();
  for (const call of story.calls)
    if (call.value.sourceId === SPACE_SOURCE && !first.has(call.value.messageId))
      first.set(call.value.messageId, call);
  return first;
}

interface Body {
  readonly event?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly traits?: Readonly<Record<string, unknown>>;
}

const bodyOf = ({ value }: Written<Call>): Body => JSON.parse(value.body.toString()) as Body;

/** What is wrong with the track call of a change; undefined when nothing is. */
function wrongIn(call: Written<Call>, change: Change, identify: Written<Call> | undefined) {
  const { event, properties } = bodyOf(call);
  const { audience, value } = change;
  if (event !== (value === true ? TRACK_EVENTS.entered : TRACK_EVENTS.exited)) return `says ${event}`;
  if (properties?.["audience_id"] !== audience.id) return `names ${properties?.["audience_id"]}`;
  if (call.value.receivedAtMs !== change.atMs) return `is of ${call.value.receivedAtMs}, not ${change.atMs}`;
  if (identify === undefined || call.place < identify.place) return "comes before its identify";
  const [along, own] = [properties["plan"], bodyOf(identify).traits?.["plan"]];
  return along === own ? undefined : `has plan ${along}, its identify ${own}`;
}

/** Whether all flips of the change say it is tracked, or that it is not; undefined where owners differ, or the profile is not known. */
function saidOf(flips: readonly ProfileFlip[] = []): boolean | undefined {
  const said = new Set(flips.map(({ isTracked }) => isTracked));
  return said.size === 1 ? said.has(true) : undefined;
}

/** What waits to be sent of a user goes when the user is deleted: Kafka may have taken the identify call alone by then. */
function wentWithDeletion({ profileEvents }: Story, { user, writtenAtMs }: Change): boolean {
  return profileEvents.some(
    ({ atMs, record, value }) => value.kind === "delete" && record.key === user && atMs >= writtenAtMs,
  );
}

/** Nothing but the first pass may leave it out. */
function isSurelyTracked({ plan, ...story }: Story, { atMs, audience }: Change): boolean {
  const writes = versionsOf({ plan, ...story }).get(audience.id)?.writes ?? [];
  const isAlways = writes.every(({ config }) => config.hasTrackCalls && config.deletedAtMs === null);
  return isAlways && atMs >= EPOCH_MS + plan.timing.calmMs + FIRST_PASS_MS;
}

/** Whatever dies, each change that is to have a track call has one, under one id and after its identify; and no other has. */
export const tracksFollowChanges = audienceLaw(
  "each change that is to have a track call has one",
  function* (story) {
    const written = writtenOf(story);
    const flips = flipsOf(story);
    const explained = new Set<string>();
    for (const change of changesOf(story)) {
      const { audience, messageId, origin, user } = change;
      if (origin === undefined) continue;
      const id = trackId(user, audience, origin);
      explained.add(id);
      const call = written.get(id);
      const isSaid = saidOf(flips.get(changeKey(user, audience.id, origin)));
      const what = `${user} in ${audience.key}: change ${origin.seq}`;
      if (isSaid === false && call !== undefined) yield `${what} has a track call that it is not to have`;
      const isMissing = isSaid === true && call === undefined && story.drainedAtMs !== undefined;
      if (isMissing && !wentWithDeletion(story, change)) yield `${what} has no track call`;
      if (isSaid === false && isSurelyTracked(story, change)) yield `${what} is not tracked`;
      const wrong = call && wrongIn(call, change, written.get(messageId));
      if (wrong !== undefined) yield `${what}: its track call ${wrong}`;
    }
    for (const [id, { value }] of written)
      if (value.type === "track" && !explained.has(id)) yield `${id} is the track call of no change`;
  },
);
