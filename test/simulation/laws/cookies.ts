// A law of audiences: an anonymous id that nobody uses for the retention is forgotten, and no sooner.
import { SPACE_SOURCE } from "#contract";
import { EPOCH_MS } from "#testing/host";
import type { AudienceConfig, Call } from "#topics";
import { type Change, changeKey, changesOf, newestProfiles, ownerOf } from "./audience-changes.ts";
import { naiveCallOf, naiveValue, type Question } from "./audience-people.ts";
import { skewOf } from "./audience-skew.ts";
import { versionsOf } from "./audience-versions.ts";
import { audienceLaw, byPair, EMPTY } from "./audiences.ts";
import type { Story, Written } from "./story.ts";

/** A call is received before it is stored, and judged after that. */
const WAY_MS = 200;
/** With nothing going wrong any more: a pass over the profiles, and what it sends. */
const PASS_MS = 8_000;
/** What went wrong before the calm may hold a partition for so long. */
const RECOVERED_AFTER_CALM_MS = 22_000;
const STEP_MS = 250;

/** A call of the id, Unix ms. */
interface Use {
  readonly call: Call;
  readonly fromMs: number;
  readonly storedAtMs: number;
}

interface Cookie {
  readonly id: string;
  /** Each call once. */
  readonly uses: readonly Use[];
  /** One of them was stored more than once: whether the later one counts depends on what was forgotten by then. */
  readonly isCopied: boolean;
}

function cookiesOf({ calls }: Story): Cookie[] {
  const own = calls.filter(({ value }) => value.sourceId !== SPACE_SOURCE && value.userId === null);
  return Array.from(
    Map.groupBy(own, ({ value }) => ownerOf(value)),
    ([id, some]) => {
      const first = new Map(some.toReversed().map((each) => [each.value.messageId, each]));
      const uses = [...first.values()].map(useOf).sort((one, other) => one.fromMs - other.fromMs);
      return { id, uses, isCopied: first.size < some.length };
    },
  );
}

function useOf({ atMs, value }: Written<Call>): Use {
  return { call: value, fromMs: value.receivedAtMs, storedAtMs: EPOCH_MS + atMs };
}

/** Profiles that were emptied, with when: it is known to the record that says so first. */
function* emptiedOf({ profiles }: Story, id: string): Generator<number> {
  const known = new Set<number>();
  for (const { record, value } of profiles) {
    if (record.key !== id || value.forgottenTo === 0 || known.has(value.forgottenTo)) continue;
    known.add(value.forgottenTo);
    if (value.judgedAtMs === 0) yield value.changedUntilMs;
  }
}

/** No call lies so near before the moment that the id was in use then. */
function* tooSoon(story: Story, { id, uses }: Cookie, retentionMs: number): Generator<string> {
  const slackMs = skewOf(story) + WAY_MS;
  for (const atMs of emptiedOf(story, id)) {
    const used = uses.find(
      ({ fromMs, storedAtMs }) => storedAtMs + slackMs < atMs && fromMs > atMs - retentionMs + slackMs,
    );
    if (used !== undefined)
      yield `${id} was emptied at ${atMs - EPOCH_MS} ms, and used at ${used.fromMs - EPOCH_MS} ms`;
  }
}

/** The last record of a profile in the log is the newest, or it is removed: nothing was known, and what it had to send had been sent. */
function* lostProfile(story: Story, { id }: Cookie, sent: readonly Change[]): Generator<string> {
  const last = story.happenings.findLast(
    (one) => one.kind === "appended" && one.record.topic === "profiles" && one.record.key === id,
  );
  const newest = newestProfiles(story).get(id)?.value;
  if (last?.kind !== "appended" || last.record.value !== null || newest === undefined) return;
  const written = sent.filter(({ user, writtenAtMs }) => user === id && writtenAtMs < last.atMs);
  const known = new Set(written.map((one) => one.origin && changeKey(id, one.audience.id, one.origin)));
  const { incarnation, judgedAtMs, outbox } = newest;
  const isSent = outbox.every((flip) =>
    known.has(changeKey(id, flip.computationId, { ...flip, incarnation })),
  );
  if (judgedAtMs !== 0 || !isSent) yield `${id} was removed while something was known of it`;
}

/** The calls that may be known in the end: those since a pause in which it may have been forgotten. */
function* knownCalls(story: Story, { uses }: Cookie, retentionMs: number): Generator<readonly Use[]> {
  const slackMs = skewOf(story) + WAY_MS;
  for (let from = uses.length - 1; from >= 0; from -= 1) {
    const pauseMs = (uses[from]?.fromMs ?? 0) - (uses[from - 1]?.storedAtMs ?? Number.NEGATIVE_INFINITY);
    if (pauseMs >= retentionMs - slackMs) yield uses.slice(from);
    // Long enough for it to be forgotten for certain, if nothing went wrong: that is not looked into.
  }
}

type Named = (key: string) => Question | undefined;

/** Values that were true of these calls a moment ago, JSON. */
function valuesOf(
  story: Story,
  audience: AudienceConfig,
  { named, uses }: { named: Named; uses: readonly Use[] },
) {
  const person = {
    calls: uses.map(({ call }, order) => naiveCallOf({ ...call, name: call.event }, order)),
    lists: new Set<string>(),
  };
  const nowMs = EPOCH_MS + story.endedAtMs;
  const fromMs = nowMs - PASS_MS - skewOf(story);
  const steps = Array.from(
    { length: (nowMs + skewOf(story) - fromMs) / STEP_MS },
    (_, n) => fromMs + n * STEP_MS,
  );
  return new Set(steps.map((atMs) => JSON.stringify(naiveValue(audience, person, { nowMs: atMs, named }))));
}

/** What may have been sent last in the end; undefined: nobody can tell. */
function wantedOf(
  story: Story,
  cookie: Cookie,
  audience: AudienceConfig,
  retentionMs: number,
): ReadonlySet<string> | undefined {
  if (!audience.includeAnonymous) return EMPTY;
  const nowMs = EPOCH_MS + story.endedAtMs;
  const slackMs = skewOf(story) + WAY_MS;
  const lastMs = Math.max(...cookie.uses.map(({ storedAtMs }) => storedAtMs));
  const recoveredAtMs = EPOCH_MS + story.plan.timing.calmMs + RECOVERED_AFTER_CALM_MS;
  const passMs = PASS_MS + retentionMs / 8 + slackMs;
  if (nowMs > Math.max(lastMs + retentionMs, recoveredAtMs) + passMs) return EMPTY;
  if (nowMs > lastMs + retentionMs - slackMs) return undefined;
  const all = [...versionsOf(story).values()];
  const named: Named = (key) => all.find(({ newest }) => newest.key === key)?.newest;
  const choices = [...knownCalls(story, cookie, retentionMs)];
  return new Set(choices.flatMap((uses) => [...valuesOf(story, audience, { named, uses })]));
}

/** While an audience is paused its members stay, and so do their other memberships. */
const isPaused = (story: Story): boolean =>
  [...versionsOf(story).values()].some(({ newest }) => newest.isPaused);

function* wrongMembership(story: Story, cookie: Cookie, retentionMs: number): Generator<string> {
  if (story.drainedAtMs === undefined || cookie.isCopied || isPaused(story)) return;
  const sent = byPair(changesOf(story));
  for (const { newest: audience } of versionsOf(story).values()) {
    if (audience.deletedAtMs !== null) continue;
    const wanted = wantedOf(story, cookie, audience, retentionMs);
    const last = JSON.stringify(sent.get(`${cookie.id} in ${audience.key}`)?.at(-1)?.value ?? false);
    if (wanted !== undefined && !wanted.has(last))
      yield `${cookie.id} in ${audience.key}: was last sent ${last}, true is ${[...wanted].join(" or ")}`;
  }
}

/** Of ids that are never linked: those that are take along what was known of them. */
export const cookiesAreForgotten = audienceLaw(
  "an anonymous id is forgotten when nobody has used it for the retention",
  function* (story) {
    const { anonymousRetentionMs } = story.plan;
    if (anonymousRetentionMs === undefined) return;
    const sent = changesOf(story);
    for (const cookie of cookiesOf(story)) {
      yield* tooSoon(story, cookie, anonymousRetentionMs);
      yield* lostProfile(story, cookie, sent);
      yield* wrongMembership(story, cookie, anonymousRetentionMs);
    }
  },
);
