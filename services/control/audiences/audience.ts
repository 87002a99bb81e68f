// What an audience, a list or a computed trait is and how it changes; pure.
import type { AudienceBackfill, AudienceConfig } from "#topics";
import type { AudienceResource } from "./resource.ts";

export interface NewAudience {
  readonly id: string;
  readonly resource: AudienceResource;
  readonly key: string;
  readonly name: string;
  /** Of a list there is none. */
  readonly definition?: unknown;
  readonly includeAnonymous?: boolean;
  readonly backfill?: { readonly mode: string; readonly days?: number };
}

export interface AudiencePatch {
  readonly name?: string;
  readonly definition?: unknown;
  readonly paused?: boolean;
}

export function createAudience(
  { id, resource, key, name, definition, includeAnonymous = false, backfill }: NewAudience,
  nowMs: number,
): AudienceConfig {
  const audienceKind = definition === undefined ? "list" : "audience";
  return {
    id,
    kind: resource === "computed_trait" ? "trait" : audienceKind,
    key,
    name,
    definition: definition === undefined ? null : JSON.stringify(definition),
    includeAnonymous,
    generation: 1,
    isPaused: false,
    backfill: backfill === undefined ? null : backfillOf(backfill),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    deletedAtMs: null,
    isExitAll: false,
  };
}

function backfillOf({ mode, days = null }: { mode: string; days?: number | null }): AudienceBackfill {
  return { mode, days };
}

/** Another definition is another generation; the same one again changes nothing that has to be prepared. */
export function patchAudience(before: AudienceConfig, patch: AudiencePatch, nowMs: number): AudienceConfig {
  const definition = patch.definition === undefined ? before.definition : JSON.stringify(patch.definition);
  return changed(
    {
      ...before,
      name: patch.name ?? before.name,
      isPaused: patch.paused ?? before.isPaused,
      definition,
      generation: before.generation + (definition === before.definition ? 0 : 1),
    },
    nowMs,
  );
}

/** The record stays, so that its key is not used again. */
export function deleteAudience(before: AudienceConfig, isExitAll: boolean, nowMs: number): AudienceConfig {
  return changed({ ...before, deletedAtMs: nowMs, isExitAll }, nowMs);
}

/** `updatedAtMs` grows with each change: it tells a newer record from an older one. */
function changed(config: AudienceConfig, nowMs: number): AudienceConfig {
  return { ...config, updatedAtMs: Math.max(nowMs, config.updatedAtMs + 1) };
}
