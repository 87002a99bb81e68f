// What an audience, a list or a computed trait is and how it changes; pure.
import type { AudienceBackfill, AudienceConfig } from "#topics";
import { namedBy } from "./references.ts";
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
  readonly trackCalls?: boolean;
  readonly sendTraits?: readonly string[];
}

export interface AudiencePatch {
  readonly trackCalls?: boolean;
  readonly sendTraits?: readonly string[];
  readonly name?: string;
  readonly definition?: unknown;
  readonly paused?: boolean;
}

export function createAudience(
  {
    id,
    resource,
    key,
    name,
    definition,
    includeAnonymous = false,
    backfill,
    trackCalls,
    sendTraits,
  }: NewAudience,
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
    earlier: [],
    isPaused: false,
    backfill: backfill === undefined ? null : backfillOf(backfill),
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    deletedAtMs: null,
    isExitAll: false,
    isForgotten: false,
    hasTrackCalls: trackCalls ?? false,
    sentTraits: [...(sendTraits ?? [])],
  };
}

function backfillOf({ mode, days = null }: { mode: string; days?: number | null }): AudienceBackfill {
  return { mode, days };
}

export interface PatchContext {
  readonly nowMs: number;
  /** Every partition has prepared the present definition. */
  readonly isPrepared: boolean;
}

/** Another definition is another generation; the same one again changes nothing that has to be prepared. */
export function patchAudience(
  before: AudienceConfig,
  patch: AudiencePatch,
  { isPrepared, nowMs }: PatchContext,
): AudienceConfig {
  const definition = patch.definition === undefined ? before.definition : JSON.stringify(patch.definition);
  const isAnother = definition !== before.definition;
  return changed(
    {
      ...before,
      name: patch.name ?? before.name,
      isPaused: patch.paused ?? before.isPaused,
      hasTrackCalls: patch.trackCalls ?? before.hasTrackCalls,
      sentTraits: patch.sendTraits === undefined ? before.sentTraits : [...patch.sendTraits],
      definition,
      ...(isAnother && { generation: before.generation + 1, earlier: earlierOf(before, isPrepared) }),
    },
    nowMs,
  );
}

/** Edits that are not prepared yet: so many, then the oldest definition does not hold on any more. */
const MAX_EARLIER = 5;

/** Definitions that hold on until the new one is prepared: the present one, and if that is not prepared itself, those that hold on for it. */
function earlierOf(
  { definition, earlier, generation }: AudienceConfig,
  isPrepared: boolean,
): AudienceConfig["earlier"] {
  if (definition === null) return [];
  return [{ definition, generation }, ...(isPrepared ? [] : earlier)].slice(0, MAX_EARLIER);
}

/** The key stays, so that it is not used again. */
export function deleteAudience(before: AudienceConfig, isExitAll: boolean, nowMs: number): AudienceConfig {
  return changed({ ...before, deletedAtMs: nowMs, isExitAll }, nowMs);
}

/** Says that something of accounts was made once: they are known since then. */
const OF_ACCOUNTS = JSON.stringify({ of: "accounts", everyone: true });

/** What is left of a deleted one. A version before reads it as a list, of which it reads no definition. */
export function forgetAudience(before: AudienceConfig, nowMs: number): AudienceConfig {
  const { createdAtMs, deletedAtMs, id, key, updatedAtMs } = before;
  const list = createAudience({ id, resource: "audience", key, name: "" }, createdAtMs);
  const definition = namedBy(before).of === "accounts" ? OF_ACCOUNTS : null;
  return changed({ ...list, definition, deletedAtMs, isForgotten: true, updatedAtMs }, nowMs);
}

/** `updatedAtMs` grows with each change: it tells a newer record from an older one. */
function changed(config: AudienceConfig, nowMs: number): AudienceConfig {
  return { ...config, updatedAtMs: Math.max(nowMs, config.updatedAtMs + 1) };
}
