// An audience may be asked not to look back as far as its conditions do.
import { UNITS_MS } from "#contract";
import type { AudienceConfig } from "#topics";
import type { AudienceDefinition, EventLeaf } from "./definition.ts";
import { keyed } from "./event-leaf.ts";
import { withEventLeaves } from "./event-leaves.ts";
import { lookBackMs } from "./windows.ts";

interface HistoryLimit {
  /** Calls before this moment do not count. */
  readonly fromMs: number;
  /** Conditions on a window of at most this length need no limit: such a call would be too old before it mattered. */
  readonly lookBackMs: number;
}

function limitLeaf(leaf: EventLeaf, limit: HistoryLimit): EventLeaf {
  const { fromMs } = limit;
  if (leaf.type === "member") return leaf;
  if (lookBackMs(leaf) <= limit.lookBackMs) return leaf;
  const { key: _, ...rest } = leaf;
  return keyed({ ...rest, window: { ...leaf.window, afterMs: Math.max(leaf.window.afterMs, fromMs) } });
}

/** undefined when it looks back as far as its conditions do. */
function limitOf({ backfill, createdAtMs }: Backfilled): HistoryLimit | undefined {
  if (backfill === null || (backfill.mode !== "none" && backfill.days === null)) return undefined;
  const lookBackMs = backfill.mode === "none" ? 0 : (backfill.days ?? 0) * UNITS_MS.d;
  return { fromMs: createdAtMs - lookBackMs, lookBackMs };
}

type Backfilled = Pick<AudienceConfig, "backfill" | "createdAtMs" | "id" | "generation">;

/** Leaves that accounts are told about are of one definition alone. */
function askedBy(definition: AudienceDefinition, { generation, id }: Backfilled): AudienceDefinition {
  return withEventLeaves(definition, (leaf) => {
    if (leaf.type !== "member") return leaf;
    const { key: _, ...rest } = leaf;
    return keyed({ ...rest, askedBy: `${id} ${generation}` });
  }).definition;
}

/**
 * The same with an `after` in each condition on events that would look back further than the audience was asked to. Such leaves are others
 * than without the limit. `fromMs` is since when calls count, of a definition that is limited.
 */
export function limitHistory(
  asked: AudienceDefinition,
  config: Backfilled,
): { readonly definition: AudienceDefinition; readonly fromMs: number | undefined } {
  const definition = askedBy(asked, config);
  const limit = limitOf(config);
  if (limit === undefined) return { definition, fromMs: undefined };
  const limited = withEventLeaves(definition, (leaf) => limitLeaf(leaf, limit));
  return { definition: limited.definition, fromMs: limited.isChanged ? limit.fromMs : undefined };
}
