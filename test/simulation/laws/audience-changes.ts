// What was sent of users and audiences, and which change of which life of a profile each of it was.
import { messageIdOf } from "#audiences";
import { SPACE_SOURCE } from "#contract";
import type { AudienceConfig, Call, ProfileState } from "#topics";
import { versionsOf } from "./audience-versions.ts";
import { onceOf, type Story, type Written } from "./story.ts";

/** What a message id is made of. */
export interface Origin {
  readonly incarnation: number;
  readonly generation: number;
  readonly seq: number;
}

/** What names a change, also one that a profile has to send. */
export function changeKey(user: string, audienceId: string, origin: Origin): string {
  const { generation, incarnation, seq } = origin;
  return [user, audienceId, incarnation, generation, seq].join(" ");
}

/** A value that was sent, at its first writing. */
export interface Change {
  /** A userId; of an anonymous profile with `anon:` in front. */
  readonly user: string;
  /** The newest version. */
  readonly audience: AudienceConfig;
  readonly value: unknown;
  /** All that was written under the id: a former owner of a partition may have come to another value of a computed trait. */
  readonly values: readonly unknown[];
  /** The moment for which it was sent, Unix ms. */
  readonly atMs: number;
  /** When it was written first, milliseconds of the world. */
  readonly writtenAtMs: number;
  readonly messageId: string;
  /** undefined: no change of the profile has this id. */
  readonly origin: Origin | undefined;
}

type Owned = Pick<Call, "anonymousId" | "userId"> & Partial<Pick<Call, "groupId">>;

/** Of what is said of an account its profile, which begins with "group:". */
export function ownerOf({ anonymousId, groupId = null, userId }: Owned): string {
  if (userId === null && groupId !== null) return `group:${groupId}`;
  return userId ?? `anon:${anonymousId}`;
}

type Sent = Omit<Change, "origin">;

function sentOf(story: Story): Sent[] {
  const byKey = new Map(Array.from(versionsOf(story).values(), ({ newest }) => [newest.key, newest]));
  const all = new Map<string, Sent & { values: unknown[] }>();
  for (const { atMs: writtenAtMs, value } of story.calls) {
    // Who is told of a deletion is told so under the same source.
    const isOfTraits = value.type === "identify" || value.type === "group";
    if (value.sourceId !== SPACE_SOURCE || !isOfTraits) continue;
    const { traits } = JSON.parse(value.body.toString()) as { traits: Record<string, unknown> };
    for (const [key, sent] of Object.entries(traits)) {
      const audience = byKey.get(key);
      if (audience === undefined) continue;
      const { messageId, receivedAtMs: atMs } = value;
      const first = all.get(messageId);
      if (first !== undefined) first.values.push(sent);
      else
        all.set(messageId, {
          user: ownerOf(value),
          audience,
          value: sent,
          values: [sent],
          atMs,
          writtenAtMs,
          messageId,
        });
    }
  }
  return [...all.values()];
}

/** Lives of each profile: a user who comes back after a deletion begins another one. */
function incarnationsOf({ profiles }: Story): ReadonlyMap<string, ReadonlySet<number>> {
  const all = new Map<string, Set<number>>();
  for (const { record, value } of profiles) {
    const known = all.get(record.key ?? "") ?? new Set();
    all.set(record.key ?? "", known.add(value.incarnation));
  }
  return all;
}

/** The id of a change, computed by the product's function. */
export function changeId(user: string, { id }: AudienceConfig, origin: Origin): string {
  const { incarnation } = origin;
  return messageIdOf(origin, {
    profile: { id: user, incarnation },
    computation: { id },
  });
}

/** Of one user and audience, all ids that their changes could have. */
function* originsOf(
  incarnations: Iterable<number>,
  generations: Iterable<number>,
  changes: number,
): Generator<Origin> {
  for (const incarnation of incarnations)
    for (const generation of generations)
      for (let seq = 1; seq <= changes; seq += 1) yield { incarnation, generation, seq };
}

/** All that was sent, without what was sent again under the same id. */
export const changesOf = onceOf((story): readonly Change[] => {
  const sent = sentOf(story);
  const incarnations = incarnationsOf(story);
  const origins = new Map<string, Origin>();
  for (const some of Map.groupBy(sent, ({ audience, user }) => `${user} ${audience.id}`).values()) {
    const [{ audience, user }] = some as [Sent];
    const generations = versionsOf(story).get(audience.id)?.definitions.keys() ?? [];
    for (const origin of originsOf(incarnations.get(user) ?? [], [...generations], some.length))
      origins.set(changeId(user, audience, origin), origin);
  }
  return sent.map((one) => ({ ...one, origin: origins.get(one.messageId) }));
});

/** Of two records of a profile the one with the higher (version, applied offset) is the newer. */
export function newestProfiles({ profiles }: Story): ReadonlyMap<string, Written<ProfileState>> {
  const newest = new Map<string, Written<ProfileState>>();
  for (const profile of profiles) {
    const { record, value } = profile;
    const before = newest.get(record.key ?? "")?.value;
    const isNewer =
      before === undefined ||
      value.version > before.version ||
      (value.version === before.version && value.appliedOffset >= before.appliedOffset);
    if (isNewer) newest.set(record.key ?? "", profile);
  }
  return newest;
}
