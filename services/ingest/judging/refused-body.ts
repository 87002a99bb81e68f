// What is recorded of the body of refused calls: its beginning, without write keys, and the users that it names. Pure.
import { StringDecoder } from "node:string_decoder";
import { isJsonObject } from "#contract";
import { MASK } from "#secrets";
import { readBatchText, UnparsedCall } from "./batch-text.ts";

export interface RefusedBody {
  readonly body: string;
  readonly isBodyCut: boolean;
  /** Null where nobody can tell. */
  readonly userIds: string[] | null;
}

/** A request's body as far as it was read. */
export interface ReadBody {
  readonly bytes: Buffer;
  /** As JSON; undefined for malformed JSON. */
  readonly value: unknown;
  readonly isBatch: boolean;
}

export const MAX_BODY_CHARACTERS = 4_096;
/** So many bytes have the characters that are kept, whatever they are, and those of a key behind the last of them. */
const MAX_READ_BYTES = 4 * MAX_BODY_CHARACTERS;

/** `index`: of one call in a batch; null for the body as a whole. `writeKeys` are those of its source. */
export function refusedBody(
  { bytes, isBatch, value }: ReadBody,
  index: number | null,
  writeKeys: readonly string[],
): RefusedBody | undefined {
  if (index === null) return bounded(bytes, isBatch ? null : usersIn(value), writeKeys);
  const call = callAt(value, index);
  const text = call instanceof UnparsedCall ? call : unparsed(bytes, index);
  if (text === undefined) return undefined;
  const userIds = text.isTooLarge ? null : usersIn(call === text ? text.parse() : call);
  return bounded(text.bytes, userIds, writeKeys);
}

function callAt(batch: unknown, index: number): unknown {
  return (batch as { readonly batch?: readonly unknown[] }).batch?.[index];
}

/** The text of a call as it was sent, in a batch that was parsed whole: what nests deep cannot be written again. */
function unparsed(bytes: Buffer, index: number): UnparsedCall | undefined {
  const read = readBatchText(bytes);
  const call = read.ok ? callAt(read.value, index) : undefined;
  return call instanceof UnparsedCall ? call : undefined;
}

/** Its first bytes as text, without a part of a character at the end. */
function beginningOf(bytes: Buffer): string {
  if (bytes.length <= MAX_READ_BYTES) return bytes.toString();
  return new StringDecoder("utf8").write(bytes.subarray(0, MAX_READ_BYTES));
}

const WRITE_KEY = /("write_?key"\s*:\s*")/i;

/**
 * Masks the source's own keys wherever they stand: the text need not be JSON. Those of other sources are known by their
 * name; the value may have no end: it is masked as well where the text was cut in it.
 */
function withoutWriteKeys(text: string, writeKeys: readonly string[]): string {
  const withoutOwn = writeKeys.reduce((rest, key) => rest.replaceAll(key, MASK), text);
  // With its names between what stands behind each.
  const [first = "", ...found] = withoutOwn.split(WRITE_KEY);
  const masked = found.map((piece, at) => {
    const end = piece.indexOf('"');
    return at % 2 === 0 ? piece : `${MASK}${end === -1 ? "" : piece.slice(end)}`;
  });
  return [first, ...masked].join("");
}

function bounded(bytes: Buffer, userIds: string[] | null, writeKeys: readonly string[]): RefusedBody {
  const masked = withoutWriteKeys(beginningOf(bytes), writeKeys);
  const isTooLong = masked.length > MAX_BODY_CHARACTERS;
  return {
    body: isTooLong ? masked.slice(0, MAX_BODY_CHARACTERS).toWellFormed() : masked,
    // A mask is shorter than its key: what is kept may be short, and more have been there.
    isBodyCut: isTooLong || bytes.length > MAX_READ_BYTES,
    userIds,
  };
}

/** A number is refused as an id, but names a user all the same. */
function usersIn(call: unknown): string[] | null {
  if (!isJsonObject(call)) return null;
  const ids = [call["userId"], call["previousId"]];
  return ids.filter((id) => typeof id === "string" || typeof id === "number").map(String);
}
