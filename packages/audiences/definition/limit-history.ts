// An audience may be asked not to look back as far as its conditions do.
import { UNITS_MS } from "#contract";
import type { AudienceConfig } from "#topics";
import type { AudienceDefinition, EventLeaf, Expression, Leaf } from "./definition.ts";
import { keyed } from "./event-leaf.ts";
import { lookBackMs } from "./windows.ts";

interface HistoryLimit {
  /** Calls before this moment do not count. */
  readonly fromMs: number;
  /** Conditions on a window of at most this length need no limit: such a call would be too old before it mattered. */
  readonly lookBackMs: number;
}

function limitLeaf(leaf: EventLeaf, limit: HistoryLimit): EventLeaf {
  const { fromMs } = limit;
  if (lookBackMs(leaf) <= limit.lookBackMs) return leaf;
  const { key: _, ...rest } = leaf;
  return keyed({ ...rest, window: { ...leaf.window, afterMs: Math.max(leaf.window.afterMs, fromMs) } });
}

function limited(leaf: Leaf, limit: HistoryLimit): Leaf {
  if (leaf.kind === "event") return limitLeaf(leaf, limit);
  if (leaf.kind !== "composite") return leaf;
  const { key: _, ...rest } = leaf;
  return keyed({ ...rest, parts: leaf.parts.map((part) => limitLeaf(part, limit)) });
}

function renamed(expression: Expression, keys: ReadonlyMap<string, string>): Expression {
  if (expression.kind === "leaf")
    return { ...expression, leafKey: keys.get(expression.leafKey) ?? expression.leafKey };
  if (expression.kind === "not") return { kind: "not", of: renamed(expression.of, keys) };
  return { kind: expression.kind, of: expression.of.map((one) => renamed(one, keys)) };
}

/** undefined when it looks back as far as its conditions do. */
function limitOf({ backfill, createdAtMs }: Backfilled): HistoryLimit | undefined {
  if (backfill === null || (backfill.mode !== "none" && backfill.days === null)) return undefined;
  const lookBackMs = backfill.mode === "none" ? 0 : (backfill.days ?? 0) * UNITS_MS.d;
  return { fromMs: createdAtMs - lookBackMs, lookBackMs };
}

type Backfilled = Pick<AudienceConfig, "backfill" | "createdAtMs">;

/**
 * The same with an `after` in each condition on events that would look back further than the audience was asked to. Such leaves are others
 * than without the limit. `fromMs` is since when calls count, of a definition that is limited.
 */
export function limitHistory(
  definition: AudienceDefinition,
  config: Backfilled,
): { readonly definition: AudienceDefinition; readonly fromMs: number | undefined } {
  const limit = limitOf(config);
  if (limit === undefined) return { definition, fromMs: undefined };
  const keys = new Map<string, string>();
  const leaves = new Map<string, Leaf>();
  for (const [key, leaf] of definition.leaves) {
    const after = limited(leaf, limit);
    keys.set(key, after.key);
    leaves.set(after.key, after);
  }
  const isLimited = [...keys].some(([before, after]) => before !== after);
  const expression = renamed(definition.expression, keys);
  return {
    definition: { ...definition, leaves, expression },
    fromMs: isLimited ? limit.fromMs : undefined,
  };
}
