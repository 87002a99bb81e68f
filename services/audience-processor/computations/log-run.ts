// Leaves that are counted in one reading of a partition's log.
import type { LeafUse } from "#audiences";
import type { LeafRegistry } from "./leaf-registry.ts";
import { isToldLeaf } from "./telling.ts";

export interface Run {
  readonly uses: readonly LeafUse[];
  readonly fenceOffset: number;
  /** Nobody asks for one of its leaves any more: what it has found of that is worth nothing. */
  isEnded: boolean;
  /** It is at work, and does not wait for its turn. */
  isReading: boolean;
}

/** Leaves with the same fence are counted in one reading. `begun` are keys of those whose fence may not be written yet. */
export function nextRun(
  uses: readonly LeafUse[],
  { begun, registry }: { readonly begun: ReadonlySet<string>; readonly registry: Pick<LeafRegistry, "of"> },
): Run | undefined {
  const preparing = uses.filter((use) => {
    const { key } = use.plan.leaf;
    return !isToldLeaf(use) && !begun.has(key) && registry.of(key)?.state === "preparing";
  });
  const [first] = preparing;
  if (first === undefined) return undefined;
  return {
    fenceOffset: first.fromOffset,
    uses: preparing.filter((use) => use.fromOffset === first.fromOffset),
    isEnded: false,
    isReading: false,
  };
}
