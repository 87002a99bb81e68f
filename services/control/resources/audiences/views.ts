import type { Static } from "typebox";
import type { JsonObject } from "#contract";
import { type AudienceConfig, audienceProgressKey } from "#topics";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import { accountsFromMs, limitedFromMs } from "./compiled.ts";
import type { AudienceParts } from "./parts.ts";
import type { AudienceView, ComputedTraitView } from "./schemas.ts";
import { type AudienceStatus, audienceStatus } from "./status.ts";

type Known = Pick<AudienceParts, "audienceProgress" | "nowMs" | "pace" | "profilePartitions">;
type Shown = Known & Pick<AudienceParts, "audiences">;

export function statusOf(config: AudienceConfig, parts: Known): AudienceStatus {
  const partitions = Array.from({ length: parts.profilePartitions }, (_, partition) =>
    parts.audienceProgress.get(audienceProgressKey({ id: config.id, partition })),
  );
  return audienceStatus(config, partitions, {
    nowMs: parts.nowMs(),
    eventsPerSecond: parts.pace.backfillPerSecond,
  });
}

function definitionOf({ definition }: AudienceConfig): JsonObject | null {
  return definition === null ? null : (JSON.parse(definition) as JsonObject);
}

/** As the API shows it (contract 10.8). */
export function computedTraitView(
  config: AudienceConfig,
  parts: Shown,
): Static<typeof ComputedTraitView> & { readonly members: number } {
  const { id, key, name, generation, isPaused } = config;
  const { status, progress, isPartial, members, incompleteProfiles, ...covered } = statusOf(config, parts);
  const configs = parts.audiences.list();
  const accountsMs = accountsFromMs(config, configs, parts.nowMs());
  const starts = [covered.coverageFromMs, limitedFromMs(config, configs), accountsMs].filter(
    (one) => one !== null && one !== undefined,
  );
  const coverageFromMs = starts.length === 0 ? null : Math.max(...starts);
  return {
    id,
    key,
    name,
    definition: definitionOf(config),
    generation,
    status,
    paused: isPaused,
    progress,
    coverageFrom: isoTimeOrNull(coverageFromMs),
    partialHistory: isPartial || accountsMs !== undefined,
    incompleteProfiles,
    members,
    createdAt: isoTime(config.createdAtMs),
    updatedAt: isoTime(config.updatedAtMs),
  };
}

export function audienceView(config: AudienceConfig, parts: Shown): Static<typeof AudienceView> {
  const { kind, includeAnonymous, backfill } = config;
  const own = { kind, includeAnonymous, backfill: backfillView(backfill), ...sendingOf(config) };
  return { ...computedTraitView(config, parts), ...own };
}

function sendingOf({ hasTrackCalls, sentTraits }: AudienceConfig) {
  return { trackCalls: hasTrackCalls, sendTraits: sentTraits };
}

function backfillView(backfill: AudienceConfig["backfill"]): Static<typeof AudienceView>["backfill"] {
  if (backfill === null) return null;
  const mode = backfill.mode === "none" ? "none" : "auto";
  return { mode, ...(backfill.days !== null && { days: backfill.days }) };
}

/** As the audit log shows it: what people have set. Null of a deleted one. */
export function auditedView(config: AudienceConfig): object | null {
  if (config.deletedAtMs !== null) return null;
  const { id, kind, key, name, generation, includeAnonymous, isPaused, backfill } = config;
  return {
    id,
    kind,
    key,
    name,
    definition: definitionOf(config),
    generation,
    includeAnonymous,
    paused: isPaused,
    backfill,
    ...(kind !== "trait" && sendingOf(config)),
  };
}
