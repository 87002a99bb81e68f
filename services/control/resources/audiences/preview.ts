// Who would be in an audience that does not exist, or have a value of a computed trait: the copy of the profiles, judged by its definition.
import {
  type Computation,
  evaluateComputation,
  isSentFirst,
  isUnknown,
  type LeafUse,
  ownerOf,
  type Profile,
  type Subject,
  seedLeaves,
  subjectOf,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import type { Pause } from "../../records/profiles/slices.ts";
import { compiledWithReferences } from "./compiled.ts";
import { countError, estimateOf } from "./count-error.ts";
import type { MemberParts } from "./member-parts.ts";
import { isAboutMembers, unknownLeaves } from "./preparation.ts";
import { lookAtSome, MAX_MS } from "./sample.ts";
import { type ToldMembers, toldMembers } from "./told-members.ts";

export interface Preview<E> {
  /** Members, or profiles that have a value. */
  readonly estimatedCount: number;
  /** Every profile was judged, and the calls that it asks for are known: the count is no estimate. */
  readonly isExact: boolean;
  /** As `countError` has it; null where calls are not known. */
  readonly countError: number | null;
  readonly profiles: number;
  readonly profilesJudged: number;
  readonly sample: (E & Owner)[];
  /** Names of the calls of whose past the profiles do not say what the definition asks for: nothing of it counts here. */
  readonly unknownCalls: string[];
  /** Keys of audiences that `members` asks for, of which not every user is known: the others count as not in it. */
  readonly unknownAudiences: string[];
}

interface Owner {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly groupId: string | null;
}

/** Why it is so of one of them. */
type Explain<E> = (
  computation: Computation,
  asked: { readonly profile: Profile; readonly nowMs: number; readonly pause: Pause },
) => Promise<E>;

/** Of more profiles every second, third, … is judged. */
const MAX_JUDGED = 20_000;
const SAMPLE_SIZE = 10;

interface Judging {
  readonly computation: Computation;
  readonly uses: readonly LeafUse[];
  readonly nowMs: number;
  readonly told: ToldMembers | undefined;
  /** Names of calls that may have come to a profile that knows nothing of them. */
  readonly unknown: Set<string>;
}

/** What was seen of the profiles. */
interface Seen {
  members: number;
  /** Some of them, their leaves seeded. */
  readonly sample: Profile[];
}

/** Judges for five seconds at most, then explains ten of those that count; all in slices. */
export async function previewOf<E extends object>(
  parts: MemberParts,
  config: AudienceConfig,
  explain: Explain<E>,
): Promise<Preview<E>> {
  const { host, profiles, slices } = parts;
  const endMs = host.elapsed() + MAX_MS;
  const pause = slices.begin();
  const set = await compiledWithReferences(config, parts.audiences.list(), pause);
  const computation = set.computations.get(config.id);
  if (computation === undefined) throw new Error("a definition that was accepted cannot be compiled");
  const nowMs = parts.nowMs();
  const told = await toldMembers(parts, { set, nowMs, pause });
  const uses = [...set.leaves.values()];
  const judging = { computation, uses, nowMs, told, unknown: new Set<string>() };
  const seen: Seen = { members: 0, sample: [] };
  const look = { most: MAX_JUDGED, endMs, of: subjectOfComputation(computation), pause };
  const looked = await lookAtSome(parts, look, async (partition, id) => {
    const profile = await profiles.read(partition, id);
    await pause();
    if (profile !== undefined && (await isCounted(profile, judging))) noteMember(seen, profile);
  });
  const calls = (await unknownLeaves(parts, set, pause)).map(({ plan }) => plan.leaf.name);
  const unknownCalls = [...new Set([...judging.unknown, ...calls])].sort();
  const unknownAudiences = [...(told?.unknownAudiences ?? [])];
  const isKnown = unknownCalls.length + unknownAudiences.length === 0;
  const sampled = { ...looked, members: seen.members };
  return {
    estimatedCount: estimateOf(sampled),
    isExact: looked.isWhole && isKnown,
    countError: isKnown ? countError(sampled) : null,
    profiles: looked.total,
    profilesJudged: looked.judged,
    sample: await explained(seen.sample, (profile) => explain(computation, { profile, nowMs, pause })),
    unknownCalls,
    unknownAudiences,
  };
}

function subjectOfComputation({ definition }: Computation): Subject {
  return definition.kind === "list" ? "users" : definition.of;
}

async function explained<E extends object>(
  sample: readonly Profile[],
  explain: (profile: Profile) => Promise<E>,
): Promise<(E & Owner)[]> {
  const found: (E & Owner)[] = [];
  for (const profile of sample) {
    const owner = { userId: null, anonymousId: null, groupId: null, ...ownerOf(profile.id) };
    found.push({ ...owner, ...(await explain(profile)) });
  }
  return found;
}

function noteMember(seen: Seen, profile: Profile): void {
  seen.members += 1;
  if (seen.sample.length < SAMPLE_SIZE) seen.sample.push(profile);
}

/** Whether the profile is a member, or has a value that would be sent. */
async function isCounted(
  profile: Profile,
  { computation, nowMs, told, unknown, uses }: Judging,
): Promise<boolean> {
  if (profile.redirectTo !== undefined || profile.judgedAtMs === 0) return false;
  const { includeAnonymous, plan } = computation;
  if (subjectOfComputation(computation) !== subjectOf(profile.id)) return false;
  if ("anonymousId" in ownerOf(profile.id) && !includeAnonymous) return false;
  seedLeaves(profile, uses);
  await told?.tell(profile);
  for (const { plan } of uses)
    if (!isAboutMembers(plan) && isUnknown(profile, plan)) unknown.add(plan.leaf.name);
  const { value } = evaluateComputation(computation, { profile, nowMs, known: new Map() });
  return plan === undefined ? value === true : isSentFirst(value);
}
