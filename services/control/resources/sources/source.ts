// What a source is and how it changes; pure.
import type { SourceConfig } from "#topics";
import type { Caller } from "../../http/auth.ts";
import { type Labels, type LabelsPatch, patchLabels } from "../../http/labels.ts";
import { maskedKey } from "../../http/masked-key.ts";
import { isoTime, isoTimeOrNull } from "../../http/time-pages.ts";
import type { SourceParts } from "./parts.ts";

export interface SourcePatch {
  readonly name?: string;
  readonly enabled?: boolean;
  readonly labels?: LabelsPatch;
}

export interface NewSource {
  readonly id: string;
  readonly name: string;
  readonly writeKey: string;
  readonly labels?: Labels;
}

export function createSource({ id, labels, name, writeKey }: NewSource, nowMs: number): SourceConfig {
  return {
    id,
    name,
    enabled: true,
    labels: patchLabels({}, labels),
    writeKeys: [writeKey],
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

export function patchSource(
  source: SourceConfig,
  { name, enabled, labels }: SourcePatch,
  nowMs: number,
): SourceConfig {
  const patched = {
    ...source,
    name: name ?? source.name,
    enabled: enabled ?? source.enabled,
    labels: patchLabels(source.labels, labels),
  };
  return changed(patched, nowMs);
}

/** The new key is the last one; the older ones go on working until they are ended. */
export function addWriteKey(source: SourceConfig, writeKey: string, nowMs: number): SourceConfig {
  return changed({ ...source, writeKeys: [...source.writeKeys, writeKey] }, nowMs);
}

export function endWriteKey(source: SourceConfig, writeKey: string, nowMs: number): SourceConfig {
  return changed({ ...source, writeKeys: source.writeKeys.filter((key) => key !== writeKey) }, nowMs);
}

function changed(source: SourceConfig, nowMs: number): SourceConfig {
  return { ...source, version: source.version + 1, updatedAtMs: nowMs };
}

/** As the audit log shows it. */
export function sourceView(source: SourceConfig) {
  const { id, name, enabled, labels, writeKeys, createdAtMs, updatedAtMs } = source;
  const times = { createdAt: isoTime(createdAtMs), updatedAt: isoTime(updatedAtMs) };
  return { id, name, enabled, labels, writeKeys, ...times };
}

/** As the API shows it (contract 10.2), with the last call of each key that another one replaces. With a key one can send calls, which a token may not that cannot write. */
export function shownSource(
  source: SourceConfig,
  { formerKeys }: Pick<SourceParts, "formerKeys">,
  { scopes }: Pick<Caller, "scopes">,
) {
  const shown = (writeKey: string) => (scopes.includes("write") ? writeKey : maskedKey(writeKey));
  const former = source.writeKeys.slice(0, -1).map((writeKey) => {
    const { atMs, network = null, userAgent = null } = formerKeys.lastUse(source.id, writeKey) ?? {};
    return { writeKey: shown(writeKey), lastCallAt: isoTimeOrNull(atMs), userAgent, network };
  });
  return { ...sourceView(source), writeKeys: source.writeKeys.map(shown), formerKeys: former };
}
