// A large batch, unparsed: where its calls stand, so that each can be parsed by itself.
import { MAX_BATCH_CALLS, MAX_CALL_BYTES, parseExactJson, type Rejection } from "#contract";
import { JsonScanner } from "./json-scanner.ts";

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The range of a value in bytes that are known to be JSON. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** Bytes of it as compact JSON, at least. A key that an object repeats counts each time. */
  readonly leastBytes: number;
}

/** Their text is decoded apart from what stands beside it: JSON is cut at ASCII characters only. */
function parseSpan(bytes: Buffer, { from, to }: Span): unknown {
  return parseExactJson(bytes.toString("utf8", from, to));
}

/** A call that is parsed when it is its turn. */
export class UnparsedCall {
  readonly #bytes: Buffer;
  readonly #span: Span;

  constructor(bytes: Buffer, span: Span) {
    this.#bytes = bytes;
    this.#span = span;
  }

  get sizeBytes(): number {
    return this.#span.to - this.#span.from;
  }

  /** A view of its text. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#span.from, this.#span.to);
  }

  /** It need not be parsed to be refused: some 500 KB of values would hold the event loop. */
  get isTooLarge(): boolean {
    return this.#span.leastBytes > MAX_CALL_BYTES;
  }

  parse(): unknown {
    return parseSpan(this.#bytes, this.#span);
  }
}

export type BatchText =
  /**
   * The value as JSON.parse returns it, with an UnparsedCall for each call, and without the members that no
   * rule names.
   */
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly rejection: Rejection };

interface Member extends Span {
  /** The calls of an array named `batch`, whose own size does not matter. */
  readonly calls?: readonly unknown[];
}

/** Members of a batch's root that are read beside its calls. */
const ROOT_FIELDS = ["context", "integrations", "sentAt", "writeKey"] as const;

const LONGEST_NAME = "integrations".length;

/**
 * The bytes of the root that are parsed at once. The rule for what is merged into calls is half of it, and is
 * checked on the parsed values.
 */
const MAX_ROOT_BYTES = 2 * MAX_CALL_BYTES;

/** Reads the body of a batch request but for its calls. Throws a SyntaxError where JSON.parse would. */
export function readBatchText(bytes: Buffer): BatchText {
  const hasMark = BYTE_ORDER_MARK.equals(bytes.subarray(0, BYTE_ORDER_MARK.length));
  const scanner = new JsonScanner(bytes, hasMark ? BYTE_ORDER_MARK.length : 0);
  if (scanner.next() !== OPEN_BRACE) return { ok: true, value: valueWithoutCalls(bytes, scanner) };
  const members = readMembers(bytes, scanner);
  scanner.expectEnd();
  const value: Record<string, unknown> = {};
  let rootBytes = 0;
  for (const field of ROOT_FIELDS) {
    const span = members.get(field);
    if (span === undefined) continue;
    rootBytes += span.leastBytes;
    if (rootBytes > MAX_ROOT_BYTES) return { ok: false, rejection: rootRejection(field) };
    value[field] = parseSpan(bytes, span);
  }
  const batch = members.get("batch");
  if (batch !== undefined) value["batch"] = batch.calls ?? kindOf(bytes, batch);
  return { ok: true, value };
}

/** Reads members by name; the last of a name counts, as in JSON.parse. */
function readMembers(bytes: Buffer, scanner: JsonScanner): Map<string, Member> {
  const members = new Map<string, Member>();
  scanner.expect(OPEN_BRACE);
  if (scanner.take(CLOSE_BRACE)) return members;
  do {
    const name = scanner.takeString(LONGEST_NAME);
    scanner.expect(COLON);
    const member = readMember(bytes, scanner, name === "batch");
    if (name !== undefined) members.set(name, member);
  } while (scanner.take(COMMA));
  scanner.expect(CLOSE_BRACE);
  return members;
}

function readMember(bytes: Buffer, scanner: JsonScanner, isBatch: boolean): Member {
  if (!isBatch || scanner.next() !== OPEN_BRACKET) return readSpan(scanner);
  const { at: from } = scanner;
  const calls = readCalls(bytes, scanner);
  return { from, to: scanner.at, leastBytes: 0, calls };
}

function readSpan(scanner: JsonScanner): Span {
  scanner.next();
  const { at: from, spareBytes } = scanner;
  scanner.skipValue();
  const { at: to } = scanner;
  return { from, to, leastBytes: to - from - (scanner.spareBytes - spareBytes) };
}

/** More calls than are allowed are only counted: 500 KB may be a quarter of a million. */
function readCalls(bytes: Buffer, scanner: JsonScanner): unknown[] {
  const calls: unknown[] = [];
  scanner.expect(OPEN_BRACKET);
  if (scanner.take(CLOSE_BRACKET)) return calls;
  let count = 0;
  do {
    const span = readSpan(scanner);
    count += 1;
    if (count <= MAX_BATCH_CALLS) calls.push(new UnparsedCall(bytes, span));
  } while (scanner.take(COMMA));
  scanner.expect(CLOSE_BRACKET);
  calls.length = count;
  return calls;
}

/** A body, or a `batch`, of the wrong kind: only its kind is told. */
function kindOf(bytes: Buffer, span: Span): unknown {
  const code = bytes[span.from];
  if (code === OPEN_BRACE) return {};
  return code === OPEN_BRACKET ? [] : parseSpan(bytes, span);
}

function valueWithoutCalls(bytes: Buffer, scanner: JsonScanner): unknown {
  const span = readSpan(scanner);
  scanner.expectEnd();
  return kindOf(bytes, span);
}

function rootRejection(field: string): Rejection {
  const message = `with ${field} the batch's root has more than ${MAX_ROOT_BYTES} bytes beside its calls, the most that is allowed`;
  return { code: "message_too_large", message };
}
