// Laws of audiences: what is sent of one user and audience, one change after the other.
import { type Change, changesOf, newestProfiles } from "./audience-changes.ts";
import { versionsOf } from "./audience-versions.ts";
import { type Law, law, type Story } from "./story.ts";

/** What is not sent as the first value, JSON. */
export const EMPTY: ReadonlySet<string> = new Set(["false", "null", "0", "[]"]);

/** What a durable profile has to say is sent by then. */
const UNDER_WAY_MS = 1_000;

/** A law of worlds in which there are audiences. */
export function audienceLaw(name: string, look: (story: Story) => Iterable<string>): Law {
  return law(name, (story) => (story.plan.audiences.length === 0 ? [] : look(story)));
}

export const byPair = (changes: readonly Change[]): Map<string, Change[]> =>
  Map.groupBy(changes, ({ audience, user }) => `${user} in ${audience.key}`);

/** Of each life of a user, as far as it is known of which life a change is. */
const byLife = (changes: readonly Change[]): Change[][] => [
  ...Map.groupBy(changes, ({ origin }) => origin?.incarnation).values(),
];

/**
 * First true, then false, and so on, in each life of a user: whatever dies, nothing is missing and nothing comes twice under different ids.
 * Of a computed trait each value is another one than that before.
 */
export const changesAlternate = audienceLaw(
  "what is sent of a user and an audience alternates",
  function* (story) {
    for (const [pair, all] of byPair(changesOf(story)))
      for (const changes of byLife(all)) {
        const values = changes.map(({ value }) => JSON.stringify(value));
        const isTrait = changes[0]?.audience.kind === "trait";
        const isWrong = values.some((value, index) => {
          if (isTrait) return index === 0 ? EMPTY.has(value) : value === values[index - 1];
          return value !== String(index % 2 === 0);
        });
        if (isWrong) yield `${pair}: ${values.join(", ")}`;
      }
  },
);

/** A receiver orders them by their times, in whatever order they come; also where the user was deleted in between. */
export const timesRise = audienceLaw("times of a user and an audience rise", function* (story) {
  for (const [pair, changes] of byPair(changesOf(story)))
    for (const [index, { atMs }] of changes.entries()) {
      const beforeMs = changes[index - 1]?.atMs ?? 0;
      if (atMs <= beforeMs) yield `${pair}: a change at ${atMs} after one at ${beforeMs}`;
    }
});

/** Why the numbers of one life's changes are wrong; undefined when they are not. */
function misnumbered(changes: readonly Change[]): string | undefined {
  let generation = 0;
  for (const [index, { messageId, origin }] of changes.entries()) {
    if (origin === undefined) return `${messageId} is the id of no change of the profile`;
    if (origin.seq !== index + 1) return `change ${index + 1} is numbered ${origin.seq}`;
    if (origin.generation < generation) return `generation ${origin.generation} after ${generation}`;
    generation = origin.generation;
  }
  return undefined;
}

/** The changes of a user and an audience are numbered without a gap, and their ids say so. */
export const changesAreNumbered = audienceLaw("changes are numbered one after the other", function* (story) {
  const sent = byPair(changesOf(story));
  for (const [pair, all] of sent)
    for (const changes of byLife(all)) {
      const problem = misnumbered(changes);
      if (problem !== undefined) yield `${pair}: ${problem}`;
    }
  if (story.drainedAtMs === undefined) return;
  for (const [user, { atMs, value: profile }] of newestProfiles(story)) {
    if (profile.redirectTo !== null) continue;
    // The world may end between a profile and what is sent of it.
    const isUnderWay = atMs > story.endedAtMs - UNDER_WAY_MS;
    for (const { computationId, seq } of profile.results) {
      const key = versionsOf(story).get(computationId)?.newest.key;
      const changes = sent.get(`${user} in ${key}`) ?? [];
      const count = changes.filter(({ origin }) => origin?.incarnation === profile.incarnation).length;
      const { length } = profile.outbox.filter((flip) => flip.computationId === computationId);
      const isSent = count === seq || (isUnderWay && count < seq && count + length >= seq);
      if (!isSent) yield `${user} in ${key}: sent ${count} changes, the profile has ${seq}`;
    }
  }
});
