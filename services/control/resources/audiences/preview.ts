// Who would be in an audience that does not exist: the copy of the profiles, judged by its definition.
import {
  type Computation,
  evaluateComputation,
  explainConditions,
  isUnknown,
  type LeafExplanation,
  type LeafUse,
  ownerOf,
  type Profile,
  seedLeaves,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import type { Pause } from "../../records/profiles/slices.ts";
import { compiledWithReferences } from "./compiled.ts";
import { countError, estimateOf } from "./count-error.ts";
import type { MemberParts } from "./member-parts.ts";
import { unknownLeaves } from "./preparation.ts";
import { lookAtSome } from "./sample.ts";

export interface Preview {
  readonly estimatedCount: number;
  /** Every profile was judged, and the calls that it asks for are known: the count is no estimate. */
  readonly isExact: boolean;
  /** As `countError` has it; null where calls are not known. */
  readonly countError: number | null;
  readonly profiles: number;
  readonly profilesJudged: number;
  readonly sample: SampleMember[];
  /** Names of the calls of whose past the profiles do not say what the definition asks for: nothing of it counts here. */
  readonly unknownCalls: string[];
}

interface SampleMember {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** What each condition comes to. */
  readonly why: readonly LeafExplanation[];
}

/** Of more profiles every second, third, … is judged. */
const MAX_JUDGED = 20_000;
const SAMPLE_SIZE = 10;

interface Judging {
  readonly audience: Computation;
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

/** Judges for five seconds at most, then explains ten members; all in slices. */
export async function previewOf(parts: MemberParts, config: AudienceConfig): Promise<Preview> {
  const { nowMs, profiles, slices } = parts;
  const pause = slices.begin();
  const set = await compiledWithReferences(config, parts.audiences.list(), pause);
  const audience = set.computations.get(config.id);
  if (audience === undefined) throw new Error("a definition that was accepted cannot be compiled");
  const judging = { audience, uses: [...set.leaves.values()], nowMs: nowMs(), unknown: new Set<string>() };
  const seen: Seen = { members: 0, sample: [] };
  const looked = await lookAtSome(parts, MAX_JUDGED, async (partition, id) => {
    const profile = await profiles.read(partition, id);
    await pause();
    if (profile !== undefined && isMember(profile, judging)) noteMember(seen, profile);
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
    sample: await explained(seen.sample, judging, pause),
    unknownCalls: unknown,
  };
}

async function explained(
  sample: readonly Profile[],
  { audience, nowMs }: Judging,
  pause: Pause,
): Promise<SampleMember[]> {
  const found: SampleMember[] = [];
  for (const profile of sample) {
    const why = await explainConditions(audience, { profile, nowMs, pause });
    found.push({ userId: null, anonymousId: null, ...ownerOf(profile.id), why });
  }
  return found;
}

function noteMember(seen: Seen, profile: Profile): void {
  seen.members += 1;
  if (seen.sample.length < SAMPLE_SIZE) seen.sample.push(profile);
}

function isMember(profile: Profile, { audience, nowMs, unknown, uses }: Judging): boolean {
  if (profile.redirectTo !== undefined || profile.judgedAtMs === 0) return false;
  if ("anonymousId" in ownerOf(profile.id) && !audience.includeAnonymous) return false;
  seedLeaves(profile, uses);
  for (const { plan } of uses) if (isUnknown(profile, plan)) unknown.add(plan.leaf.name);
  return evaluateComputation(audience, { profile, nowMs, known: new Map() }).value === true;
}
