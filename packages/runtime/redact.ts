// Makes the facts of a log line safe and plain: secret-looking fields and credentials of URLs are masked (contract 6.3), errors become data.

import { maskCredentials } from "./mask-credentials.ts";

export type Facts = Readonly<Record<string, unknown>>;

const SECRET_NAME = /secret|passw|token|authorization|write_?key|credential|ciphertext|cookie|signature/i;
const MASK = "[redacted]";
/** Deeper than this, a log line is a dump. */
const MAX_DEPTH = 5;

interface ErrorLike {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Recognises an error by shape: it may come from another realm, where `instanceof` says no. */
function isErrorLike(value: object): value is ErrorLike {
  return "message" in value && "stack" in value && typeof value.message === "string";
}

function plainError(error: ErrorLike, depth: number): Facts {
  return {
    type: error.name,
    message: maskCredentials(error.message),
    ...(error.code === undefined ? {} : { code: error.code }),
    ...(error.stack === undefined ? {} : { stack: maskCredentials(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: plain(error.cause, depth + 1) }),
  };
}

function plain(value: unknown, depth: number): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "string") return maskCredentials(value);
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return `<${value.byteLength} bytes>`;
  if (depth >= MAX_DEPTH) return "…";
  if (isErrorLike(value)) return plainError(value, depth);
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  return redact(value as Facts, depth + 1);
}

/** A copy of the facts in which fields with secret-looking names are masked, at any depth. */
export function redact(facts: Facts, depth = 0): Facts {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(facts)) {
    // A flag such as sharedSecretSet is no secret.
    const masked = SECRET_NAME.test(name) && value !== undefined && typeof value !== "boolean";
    safe[name] = masked ? MASK : plain(value, depth);
  }
  return safe;
}
