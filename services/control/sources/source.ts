// What a source is and how it changes; pure.
import type { SourceConfig } from "#topics";

export interface SourcePatch {
  readonly name?: string;
  readonly enabled?: boolean;
}

export interface NewSource {
  readonly id: string;
  readonly name: string;
  readonly writeKey: string;
}

export function createSource({ id, name, writeKey }: NewSource, nowMs: number): SourceConfig {
  return {
    id,
    name,
    enabled: true,
    writeKeys: [writeKey],
    version: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

export function patchSource(
  source: SourceConfig,
  { name, enabled }: SourcePatch,
  nowMs: number,
): SourceConfig {
  return changed({ ...source, name: name ?? source.name, enabled: enabled ?? source.enabled }, nowMs);
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

/** As the API shows it (contract 10.2). */
export function sourceView({ id, name, enabled, writeKeys, createdAtMs, updatedAtMs }: SourceConfig) {
  const createdAt = new Date(createdAtMs).toISOString();
  const updatedAt = new Date(updatedAtMs).toISOString();
  return { id, name, enabled, writeKeys, createdAt, updatedAt };
}
