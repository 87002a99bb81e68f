// Which source a request comes from (contract 6.2).
import type { Rejection } from "#contract";

/** A source as ingest needs it. */
export interface Source {
  readonly id: string;
  readonly enabled: boolean;
}

export interface SourceLookup {
  byWriteKey(writeKey: string): Source | undefined;
}

/** Headers read before: a source sends the same one with every request. Emptied when full, so that made-up ones do no harm. */
const readHeaders = new Map<string, string | undefined>();
const MAX_READ_HEADERS = 1_000;
const MAX_HEADER_CHARACTERS = 500;

function writeKeyOfHeader(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  if (authorization.length > MAX_HEADER_CHARACTERS) return readHeader(authorization);
  let key = readHeaders.get(authorization);
  if (key === undefined && !readHeaders.has(authorization)) {
    key = readHeader(authorization);
    if (readHeaders.size >= MAX_READ_HEADERS) readHeaders.clear();
    readHeaders.set(authorization, key);
  }
  return key;
}

/** The Basic user name, with or without a colon after it, or the Bearer token. */
function readHeader(authorization: string): string | undefined {
  const [, scheme = "", credentials = ""] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case "bearer":
      return credentials;
    case "basic":
      return Buffer.from(credentials, "base64").toString().split(":", 1)[0] || undefined;
    default:
      return undefined;
  }
}

function bodyWriteKey(body: unknown): unknown {
  return (body as { readonly writeKey?: unknown } | null)?.writeKey;
}

export type SourceResolution =
  | { readonly ok: true; readonly source: Source }
  | { readonly ok: false; readonly rejection: Rejection };

/**
 * The source that the header's key names, else the body's: a Bearer token may be something else than a write key, and
 * then the body has it.
 */
export function resolveSource(
  sources: SourceLookup,
  authorization: string | undefined,
  body: unknown,
): SourceResolution {
  const keys = [writeKeyOfHeader(authorization), bodyWriteKey(body)].filter(
    (key): key is string => typeof key === "string" && key !== "",
  );
  if (keys.length === 0) {
    return unknownSource(
      "no write key: give it as the Basic user name, as a Bearer token or as writeKey in the body",
    );
  }
  for (const key of keys) {
    const source = sources.byWriteKey(key);
    if (source?.enabled === true) return { ok: true, source };
    if (source !== undefined) {
      return {
        ok: false,
        rejection: { code: "source_disabled", message: "the source of this write key is disabled" },
      };
    }
  }
  return unknownSource("the write key belongs to no source");
}

function unknownSource(message: string): SourceResolution {
  return { ok: false, rejection: { code: "unknown_source", message } };
}
