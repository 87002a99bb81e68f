import type { Static } from "typebox";
import type { JsonObject } from "#contract";
import { type AudienceConfig, audienceProgressKey } from "#topics";
import { isoTime, isoTimeOrNull } from "../http/time-pages.ts";
import type { AudienceParts } from "./parts.ts";
import type { AudienceView, ComputedTraitView } from "./schemas.ts";
import { type AudienceStatus, audienceStatus } from "./status.ts";

type Known = Pick<AudienceParts, "audienceProgress" | "profilePartitions">;

export function statusOf(config: AudienceConfig, parts: Known): AudienceStatus {
  const partitions = Array.from({ length: parts.profilePartitions }, (_, partition) =>
    parts.audienceProgress.get(audienceProgressKey({ id: config.id, partition })),
  );
  return audienceStatus(config, partitions);
}

function definitionOf({ definition }: AudienceConfig): JsonObject | null {
  return definition === null ? null : (JSON.parse(definition) as JsonObject);
}

/** As the API shows it (contract 10.8). */
export function computedTraitView(
  config: AudienceConfig,
  parts: Known,
): Static<typeof ComputedTraitView> & { readonly members: number } {
  const { id, key, name, generation, isPaused } = config;
  const { status, progress, coverageFromMs, isPartial, members } = statusOf(config, parts);
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
    partialHistory: isPartial,
    members,
    createdAt: isoTime(config.createdAtMs),
    updatedAt: isoTime(config.updatedAtMs),
  };
}

export function audienceView(config: AudienceConfig, parts: Known): Static<typeof AudienceView> {
  const { kind, includeAnonymous, backfill } = config;
  return { ...computedTraitView(config, parts), kind, includeAnonymous, backfill: backfillView(backfill) };
}

function backfillView(backfill: AudienceConfig["backfill"]): Static<typeof AudienceView>["backfill"] {
  return backfill === null ? null : { mode: "auto", ...(backfill.days !== null && { days: backfill.days }) };
}
