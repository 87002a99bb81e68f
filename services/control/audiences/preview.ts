// Who would be in an audience that does not exist: the copy of the profiles, judged by its definition.
import {
  type Computation,
  type ComputationSet,
  evaluateComputation,
  isKnownFromSummary,
  type LeafUse,
  ownerOf,
  type Profile,
  seedLeaves,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import type { ProfileReader } from "../profiles/replica.ts";
import { compiledAlone, compiledSet } from "./compiled.ts";
import type { MemberParts } from "./member-parts.ts";
import { statusOf } from "./views.ts";

export interface Preview {
  readonly estimatedCount: number;
  /** Every profile was judged: the count is no estimate. */
  readonly isExact: boolean;
  readonly profiles: number;
  readonly profilesJudged: number;
  readonly sample: { readonly userId: string | null; readonly anonymousId: string | null }[];
  /** Names of the calls of whose past the profiles do not say what the definition asks for: nothing of it counts here. */
  readonly unknownCalls: string[];
}

/** Of more profiles every second, third, … is judged. */
const MAX_JUDGED = 20_000;
/** Somebody waits for the answer. */
const MAX_MS = 5_000;
const SAMPLE_SIZE = 10;
/** To look at a profile takes some 20 us. */
const JUDGED_A_TURN = 100;
/** To pass one over takes one. */
const PASSED_A_TURN = 2_000;

interface Judging {
  readonly audience: Computation;
  readonly uses: readonly LeafUse[];
  readonly nowMs: number;
}

/** Takes five seconds at most, and a turn of the event loop for a hundred profiles. */
export async function previewOf(parts: MemberParts, config: AudienceConfig): Promise<Preview> {
  const { host, nowMs, profiles } = parts;
  const configs = parts.audiences.list();
  const set = compiledAlone(config, configs);
  const audience = set.computations.get(config.id);
  if (audience === undefined) throw new Error("a definition that was accepted cannot be compiled");
  const judging = { audience, uses: [...set.leaves.values()], nowMs: nowMs() };
  const total = profiles.count;
  const sample: Preview["sample"] = [];
  const endMs = host.elapsed() + MAX_MS;
  let [judged, passed, members] = [0, 0, 0];
  for await (const { partition, ids } of strided(parts, Math.max(1, Math.ceil(total / MAX_JUDGED)))) {
    passed += ids.passed;
    for (const id of ids.taken) {
      const profile = await profiles.read(partition, id);
      judged += 1;
      if (profile === undefined || !isMember(profile, judging)) continue;
      members += 1;
      if (sample.length < SAMPLE_SIZE) sample.push({ userId: null, anonymousId: null, ...ownerOf(id) });
    }
    if (host.elapsed() > endMs) break;
  }
  return {
    estimatedCount: judged === 0 ? 0 : Math.round((members * Math.max(total, judged)) / judged),
    isExact: judged >= total && passed >= total,
    profiles: total,
    profilesJudged: judged,
    sample,
    unknownCalls: unknownCalls(parts, set),
  };
}

function isMember(profile: Profile, { audience, nowMs, uses }: Judging): boolean {
  if (profile.redirectTo !== undefined || profile.judgedAtMs === 0) return false;
  if ("anonymousId" in ownerOf(profile.id) && !audience.includeAnonymous) return false;
  seedLeaves(profile, uses);
  return evaluateComputation(audience, { profile, nowMs, known: new Map() }).value === true;
}

interface Stride {
  readonly partition: number;
  readonly ids: { readonly taken: readonly string[]; readonly passed: number };
}

/** Every `step`th id of all partitions, some of them in a turn of the event loop: neither the oldest nor the first by name alone. */
async function* strided(
  { host, profiles }: Pick<MemberParts, "host" | "profiles">,
  step: number,
): AsyncGenerator<Stride> {
  const many = Math.min(PASSED_A_TURN, JUDGED_A_TURN * step);
  for (let partition = 0; partition < profiles.partitions; partition += 1) {
    let after: string | undefined;
    for (let ids = firstIds(profiles, partition, { after, many }); ids.length > 0; ) {
      const taken = ids.filter((_, index) => index % step === 0);
      yield { partition, ids: { taken, passed: ids.length } };
      await new Promise<void>((resolve) => void host.setImmediate(resolve));
      after = ids.at(-1);
      ids = firstIds(profiles, partition, { after, many });
    }
  }
}

function firstIds(
  profiles: ProfileReader,
  partition: number,
  { after, many }: { readonly after: string | undefined; readonly many: number },
): string[] {
  const ids: string[] = [];
  for (const id of profiles.ids(partition, after)) {
    ids.push(id);
    if (ids.length === many) break;
  }
  return ids;
}

/** What a leaf asks for is there when the counts by name say it, or when a live audience has counted it for as long as it asks. */
function unknownCalls(parts: MemberParts, { leaves }: ComputationSet): string[] {
  const configs = parts.audiences.list();
  const complete = configs.filter((config) => {
    if (config.deletedAtMs !== null || config.kind === "list") return false;
    const { isPartial, progress } = statusOf(config, parts);
    return progress === null && !isPartial;
  });
  const kept = compiledSet(complete, configs).leaves;
  const unknown = [...leaves.values()].filter(
    ({ plan }) => !isKnownFromSummary(plan) && !kept.has(plan.leaf.key),
  );
  return [...new Set(unknown.map(({ plan }) => plan.leaf.name))].sort();
}
