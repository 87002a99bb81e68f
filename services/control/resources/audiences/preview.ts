// Who would be in an audience that does not exist, or have a value of a computed trait: the copy of the profiles, judged by its definition.
import {
  type Computation,
  evaluateComputation,
  isSentFirst,
  isUnknown,
  type LeafUse,
  ownerOf,
  type Profile,
  seedLeaves,
  subjectOf,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import type { Pause } from "../../records/profiles/slices.ts";
import { compiledWithReferences } from "./compiled.ts";
import { countError, estimateOf } from "./count-error.ts";
import type { MemberParts } from "./member-parts.ts";
import { unknownLeaves } from "./preparation.ts";
import { lookAtSome } from "./sample.ts";

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
}

interface Owner {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly groupId: string | null;
}

/** Why it is so of one of them. */
export type Explain<E> = (
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
  const { nowMs, profiles, slices } = parts;
  const pause = slices.begin();
  const set = await compiledWithReferences(config, parts.audiences.list(), pause);
  const computation = set.computations.get(config.id);
  if (computation === undefined) throw new Error("a definition that was accepted cannot be compiled");
  const judging = { computation, uses: [...set.leaves.values()], nowMs: nowMs(), unknown: new Set<string>() };
  const seen: Seen = { members: 0, sample: [] };
  const looked = await lookAtSome(parts, MAX_JUDGED, async (partition, id) => {
    const profile = await profiles.read(partition, id);
    await pause();
    if (profile !== undefined && isCounted(profile, judging)) noteMember(seen, profile);
    await pause();
  });
  const calls = (await unknownLeaves(parts, set, pause)).map(({ plan }) => plan.leaf.name);
  const unknown = [...new Set([...judging.unknown, ...calls])].sort();
  const sampled = { ...looked, members: seen.members };
  return {
    estimatedCount: estimateOf(sampled),
    isExact: looked.isWhole && unknown.length === 0,
    countError: unknown.length === 0 ? countError(sampled) : null,
    profiles: looked.total,
    profilesJudged: looked.judged,
    sample: await explained(seen.sample, (profile) =>
      explain(computation, { profile, nowMs: judging.nowMs, pause }),
    ),
    unknownCalls: unknown,
  };
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
function isCounted(profile: Profile, { computation, nowMs, unknown, uses }: Judging): boolean {
  if (profile.redirectTo !== undefined || profile.judgedAtMs === 0) return false;
  const { definition, includeAnonymous, plan } = computation;
  if (definition.kind !== "list" && definition.of !== subjectOf(profile.id)) return false;
  if ("anonymousId" in ownerOf(profile.id) && !includeAnonymous) return false;
  seedLeaves(profile, uses);
  for (const { plan } of uses) if (isUnknown(profile, plan)) unknown.add(plan.leaf.name);
  const { value } = evaluateComputation(computation, { profile, nowMs, known: new Map() });
  return plan === undefined ? value === true : isSentFirst(value);
}
