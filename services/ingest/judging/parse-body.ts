import { parseExactJson, type Rejection } from "#contract";
import { BYTES_A_TURN } from "../limits/bytes-a-turn.ts";
import { readBatchText } from "./batch-text.ts";
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
  return parseWith(parseWhole, bytes);
}

/** The size up to which one turn parses a body whole, whatever is in it; judging it may need more turns. */
const WHOLE_BYTES = 2 * BYTES_A_TURN;

/** Whether it is parsed call by call, in turns of the event loop. */
export const isLarge = (bytes: Buffer): boolean => bytes.length > WHOLE_BYTES;

/** The same of a batch request: the calls of a large one are left as UnparsedCalls. */
export function parseBatchJson(bytes: Buffer): ParsedBody {
  return parseWith(isLarge(bytes) ? readBatchText : parseWhole, bytes);
}

type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly rejection: Rejection };

function parseWith(parse: (bytes: Buffer) => Parsed, bytes: Buffer): ParsedBody {
  if (bytes.length === 0) return invalidJson("the body is empty");
  try {
    const parsed = parse(bytes);
    return parsed.ok ? { ok: true, value: parsed.value, sizeBytes: bytes.length } : parsed;
  } catch (error) {
    return invalidJson(`the body is not valid JSON: ${(error as { message: string }).message}`);
  }
}

function parseWhole(bytes: Buffer): Parsed {
  const text = bytes.toString();
  const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  return { ok: true, value: parseExactJson(json) };
}

function invalidJson(message: string): ParsedBody {
  return { ok: false, rejection: { code: "invalid_json", message } };
}
