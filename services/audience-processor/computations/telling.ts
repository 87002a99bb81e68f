// Accounts learn who of this partition's users is in an audience that a new condition on members asks about (contract 8.10). A leaf, step by step, and
// what a death in between leaves:
//   1. it is begun in every partition: from then on each keeps for its accounts what it is told. Before: nothing is told.
//   2. the audience has evaluated all profiles of this partition: what changes from then on is told as it changes.
//   3. each user's accounts are told. Before, or with some of them told: all are told again, which changes nothing where it was said.
//   4. the leaf is counted, and goes on as one that was counted from the log.
import { type LeafUse, tellAccounts } from "#audiences";
import type { AudienceProgress } from "#topics";
import { changeProfiles, type PassParts } from "./forget-leaves.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import type { PartitionComputations } from "./partition-computations.ts";
import { isDone } from "./pass.ts";

interface TellingParts extends PassParts {
  readonly computations: PartitionComputations;
  readonly registry: LeafRegistry;
  progressOf(id: string): AudienceProgress | undefined;
}

export function isToldLeaf({ plan }: LeafUse): boolean {
  return plan.leaf.type === "member";
}

/** Tells of those leaves of which it may be told by now. */
export async function tellOf(
  parts: TellingParts,
  uses: readonly LeafUse[],
  partitions: number,
): Promise<void> {
  const { computations, registry } = parts;
  const ready = uses.filter(({ plan: { leaf } }) => {
    return registry.isBegunEverywhere(leaf.key, partitions) && isEvaluated(parts, leaf.name);
  });
  if (ready.length === 0) return;
  const lives = ready.map(({ plan: { leaf } }) => ({
    key: leaf.key,
    life: registry.of(leaf.key)?.generation,
  }));
  await changeProfiles(parts, (profile) => {
    const unsent = profile.outbox.length;
    tellAccounts(profile, computations.set.told, true);
    return profile.outbox.length > unsent;
  });
  for (const { key, life } of lives) {
    const known = registry.of(key);
    // One that has ended meanwhile, or begun anew, is told again in its next life.
    if (known?.generation === life && known?.state === "preparing")
      registry.update(key, { state: "counted" });
  }
}

function isEvaluated({ computations, progressOf }: TellingParts, audienceKey: string): boolean {
  for (const config of computations.configs)
    if (config.key === audienceKey && config.deletedAtMs === null)
      return isDone(config, progressOf(config.id));
  return true;
}
