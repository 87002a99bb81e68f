// What goes of deleted audiences, lists and computed traits; pure.
import {
  type AudienceConfig,
  type AudienceProgress,
  audienceProgressKey,
  type MembershipImport,
} from "#topics";
import { namedBy } from "../../resources/audiences/references.ts";

/** What is known of them. */
export interface Known {
  readonly configs: readonly AudienceConfig[];
  readonly imports: Iterable<MembershipImport>;
  /** By `audienceProgressKey`. */
  readonly progressOf: (key: string) => AudienceProgress | undefined;
  /** Of profiles. */
  readonly partitions: number;
  /** What was deleted, or ended, before that moment goes. */
  readonly beforeMs: number;
}

/** All that is found goes in some seconds; the rest is found by the next look. */
const MOST_AT_ONCE = 500;

/**
 * Those that every partition has let go of: its profiles are written without them, and `false` is sent where that was asked for. One that
 * another one names waits for that: its definition is read until then.
 */
export function forgettable({ beforeMs, configs, partitions, progressOf }: Known): AudienceConfig[] {
  const kept = configs.filter(({ isForgotten }) => !isForgotten);
  const named = new Set(kept.flatMap((config) => namedBy(config).references));
  const isLeft = ({ id }: AudienceConfig): boolean =>
    Array.from({ length: partitions }, (_, partition) => audienceProgressKey({ id, partition })).every(
      (key) => progressOf(key)?.state === "deleted",
    );
  const found: AudienceConfig[] = [];
  for (const config of kept) {
    if (found.length === MOST_AT_ONCE) break;
    const { deletedAtMs, key } = config;
    if (deletedAtMs !== null && deletedAtMs < beforeMs && !named.has(key) && isLeft(config))
      found.push(config);
  }
  return found;
}

/** Ids of imports of deleted lists. One that is staged is refused first; nobody can confirm one that is held. */
export function endedImports({ beforeMs, configs, imports }: Known): string[] {
  const deleted = new Map(configs.map(({ deletedAtMs, id }) => [id, deletedAtMs]));
  const ids: string[] = [];
  for (const { audienceId, id, state, updatedAtMs } of imports) {
    const deletedAtMs = deleted.get(audienceId) ?? null;
    if (ids.length === MOST_AT_ONCE) break;
    if (deletedAtMs !== null && state !== "staged" && Math.max(deletedAtMs, updatedAtMs) < beforeMs)
      ids.push(id);
  }
  return ids;
}
