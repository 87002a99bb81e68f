// What is said of a leaf goes some time after its end: each definition that is edited or deleted would leave rows in every partition for ever. Step by
// step, and what a death in between leaves:
//   1. no partition counts the leaf: one that does is to learn by the row that the leaf has begun anew here. And the row is old: nobody writes late.
//   2. what profiles still have of the leaf goes, as the row says that there may be some. Before: all profiles are looked at again.
//   3. the life is written behind which leaves begin from then on: profiles remember parts of merges by the life of their leaf (merge.ts).
//   4. the row goes. Before: as in 2.
import { forgetLeaf } from "#audiences";
import { UNITS_MS } from "#contract";
import type { AudienceProgress } from "#topics";
import { changeProfiles, type PassParts } from "./forget-leaves.ts";
import type { LeafRegistry } from "./leaf-registry.ts";
import type { PartitionComputations } from "./partition-computations.ts";

const KEPT_MS = UNITS_MS.d;

interface EndedParts extends PassParts {
  readonly computations: PartitionComputations;
  readonly registry: LeafRegistry;
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
}

/** Undefined: there is none of which nothing need be said any more. */
export function endLeaves(parts: EndedParts, partitions: number): Promise<void> | undefined {
  const ended = parts.registry.endedBefore(parts.host.now() - KEPT_MS, partitions);
  return ended.length > 0 ? end(parts, ended) : undefined;
}

async function end(parts: EndedParts, ended: readonly string[]): Promise<void> {
  const { computations, registry, reportDurably, signal, worker } = parts;
  const keys = new Set(ended);
  // One may be asked for again at any time.
  const isOver = (key: string): boolean =>
    keys.has(key) && !computations.set.leaves.has(key) && registry.of(key)?.state === "deleted";
  await changeProfiles(parts, (profile) => {
    const left = [...profile.leaves.keys(), ...profile.backfilled.keys()].filter(isOver);
    return left.map((key) => forgetLeaf(profile, key)).includes(true);
  });
  await reportDurably([registry.behind(ended.filter(isOver))]);
  if (!signal.aborted && worker.isOurs) await registry.end(ended.filter(isOver));
}
