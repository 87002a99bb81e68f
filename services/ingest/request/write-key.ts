// Finds the source of a request (contract 6.2).
import type { Rejection } from "#contract";
import { createHeaderReader } from "./authorization-header.ts";

/** A source as ingest needs it. */
export interface Source {
  readonly id: string;
  readonly enabled: boolean;
  /** The key that it was found by, where that is not its newest one. */
  readonly formerKey?: string;
}

export interface SourceLookup {
  byWriteKey(writeKey: string): Source | undefined;
  get(sourceId: string): { readonly writeKeys: readonly string[] } | undefined;
}

const headers = createHeaderReader();

function bodyWriteKey(body: unknown): unknown {
  return (body as { readonly writeKey?: unknown } | null)?.writeKey;
}

const MISSING: Rejection = {
  code: "unknown_source",
  message: "no write key: give it as the Basic user name, as a Bearer token or as writeKey in the body",
};
const UNKNOWN: Rejection = { code: "unknown_source", message: "the write key belongs to no source" };
const DISABLED: Rejection = { code: "source_disabled", message: "the source of this write key is disabled" };

const disabled = ({ id }: Source): SourceResolution => ({ ok: false, rejection: DISABLED, sourceId: id });

export type SourceResolution =
  | { readonly ok: true; readonly source: Source }
  /** `sourceId` of a source that is there and takes no calls. */
  | { readonly ok: false; readonly rejection: Rejection; readonly sourceId?: string };

/**
 * Finds the source by the header alone, before the body is read; undefined when the body must be known. A
 * Basic user name is always meant as a write key; a Bearer token may be something else.
 */
export function sourceOfHeader(
  sources: SourceLookup,
  authorization: string | undefined,
): SourceResolution | undefined {
  const credentials = headers.read(authorization);
  if (credentials === undefined) return undefined;
  const source = sources.byWriteKey(credentials.key);
  if (source !== undefined) return source.enabled ? { ok: true, source } : disabled(source);
  return credentials.scheme === "basic" ? { ok: false, rejection: UNKNOWN } : undefined;
}

/**
 * The source that the header's key names, else the body's: a Bearer token may be something else than a write key, and
 * then the body has it.
 */
export function resolveSource(
  sources: SourceLookup,
  authorization: string | undefined,
  body: unknown,
): SourceResolution {
  const keys = [headers.read(authorization)?.key, bodyWriteKey(body)].filter(
    (key): key is string => typeof key === "string" && key !== "",
  );
  if (keys.length === 0) return { ok: false, rejection: MISSING };
  for (const key of keys) {
    const source = sources.byWriteKey(key);
    if (source?.enabled === true) return { ok: true, source };
    if (source !== undefined) return disabled(source);
  }
  return { ok: false, rejection: UNKNOWN };
}
