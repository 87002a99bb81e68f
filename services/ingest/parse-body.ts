import type { Rejection } from "#contract";
import { parseExactJson } from "./exact-json.ts";
import { type Inflated, inflate, isGzip } from "./inflate.ts";
import { sizeRejection } from "./size-rejection.ts";

export type ParsedBody =
  | { readonly ok: true; readonly value: unknown; readonly sizeBytes: number }
  | { readonly ok: false; readonly rejection: Rejection };

const BYTE_ORDER_MARK = 0xfeff;

/** The bytes as they were before gzip; the same buffer where there was none. */
export function decompress(
  bytes: Buffer,
  encoding: string,
  limitBytes: number,
): Inflated | Promise<Inflated> {
  switch (encoding.trim().toLowerCase()) {
    case "":
    case "identity":
      // JSON never begins like gzip does, so a forgotten header does no harm.
      if (isGzip(bytes)) return inflate(bytes, limitBytes);
      return bytes.length > limitBytes
        ? { ok: false, rejection: sizeRejection(limitBytes) }
        : { ok: true, bytes };
    case "gzip":
    case "x-gzip":
      return inflate(bytes, limitBytes);
    default: {
      const message = "Content-Encoding must be gzip or left out";
      return { ok: false, rejection: { code: "invalid_encoding", message } };
    }
  }
}

/** The JSON of a body, whatever its Content-Type says (contract 7.5). Bytes that are no UTF-8 are read as U+FFFD. */
export function parseJson(bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return invalidJson("the body is empty");
  const text = bytes.toString();
  try {
    const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
    return { ok: true, value: parseExactJson(json), sizeBytes: bytes.length };
  } catch (error) {
    return invalidJson(`the body is not valid JSON: ${(error as { message: string }).message}`);
  }
}

function invalidJson(message: string): ParsedBody {
  return { ok: false, rejection: { code: "invalid_json", message } };
}
