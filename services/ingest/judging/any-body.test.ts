// Laws that hold for any body: it is answered as documented, it holds no more than is counted, it takes no more work than its size allows, and
// what is stored is what it says.
import { request } from "node:http";
import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import fc from "fast-check";
import type { AcceptedCall } from "#contract";
import { MAX_CALL_BYTES } from "#contract";
import { anyBody, type SentBody } from "../fixtures/any-body.ts";
import { BASIC, type IngestFixture, startFixture } from "../fixtures/http.ts";
import { readPlainJson } from "../fixtures/plain-json.ts";

const SEED = 20_261_122;
const ROOM_BYTES = 64_000_000;

const parse = JSON.parse;
const parsed = { inTurn: 0, mostInTurn: 0, all: 0 };
let turns = 0;
let heldBytes = 0;

function endTurn(): void {
  parsed.mostInTurn = Math.max(parsed.mostInTurn, parsed.inTurn);
  parsed.inTurn = 0;
  turns += 1;
}

let ingest: IngestFixture;
beforeAll(async () => {
  ingest = await startFixture({
    limits: { maxWaitingBytes: ROOM_BYTES },
    parts: {
      pause() {
        endTurn();
        return new Promise((resolve) => void setImmediate(resolve));
      },
    },
    async store() {
      heldBytes = ingest.gate.waitingBytes;
      return "stored";
    },
  });
  jest.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    parsed.inTurn += text.length;
    parsed.all += text.length;
    return parse(text, reviver);
  });
});
afterAll(() => {
  jest.restoreAllMocks();
  return ingest.close();
});

interface Reply {
  readonly status: number;
  readonly body: { success: boolean; code?: string; rejected?: { index: number }[] };
}

/** Sent in the chunks that it is cut into. */
async function send({ path, bytes, isGzip, cuts }: SentBody): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const headers = { ...BASIC, "transfer-encoding": "chunked", ...(isGzip && { "content-encoding": "gzip" }) };
  const call = request(ingest.url + path, { method: "POST", headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("end", () =>
      resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString()) }),
    );
  });
  call.on("error", reject);
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    if (cut > from) call.write(bytes.subarray(from, cut));
    from = cut;
  }
  call.end();
  return promise;
}

type Call = Record<string, unknown>;

/** Members that ingest writes by itself, or from the batch's root. */
const WRITTEN = [
  "version",
  "type",
  "timestamp",
  "context",
  "integrations",
  "messageId",
  "originalTimestamp",
  "sentAt",
  "receivedAt",
  "writeKey",
];

const isGiven = (value: unknown) => value !== null && value !== undefined && value !== "";

/**
 * The differences between a delivered body and its call. The body has the call's members in their order; null
 * or empty ones may be left out.
 */
function differences(body: string, call: Call, root: Call): string[] {
  const delivered = readPlainJson(body) as Call;
  const ownOf = (object: Call, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);
  const isSame = (name: string, value: unknown) => {
    const found = ownOf(delivered, name);
    if (found === undefined) return !isGiven(value);
    return JSON.stringify(found) === JSON.stringify(value ?? (name === "properties" ? {} : null));
  };
  const context = { ...((root["context"] ?? {}) as object), ...((ownOf(call, "context") ?? {}) as object) };
  const messageId = isGiven(call["messageId"]) ? call["messageId"] : "made-here";
  return [
    ...Object.keys(call).filter((name) => !WRITTEN.includes(name) && !isSame(name, call[name])),
    ...Object.keys(delivered).filter(
      (name) => !(Object.hasOwn(call, name) || name === "properties" || WRITTEN.includes(name)),
    ),
    ...(JSON.stringify(delivered["context"]) === JSON.stringify(context) ? [] : ["context"]),
    ...(delivered["messageId"] === messageId ? [] : ["messageId"]),
  ];
}

function plainCallsOf({ path, plain }: SentBody): { calls: Call[]; root: Call } {
  const text = plain.toString();
  const value = readPlainJson(text.startsWith("\ufeff") ? text.slice(1) : text) as Call;
  return path === "/v1/track"
    ? { calls: [value], root: {} }
    : { calls: value["batch"] as Call[], root: value };
}

function expectStored(sent: SentBody, { body }: Reply, stored: readonly AcceptedCall[]): void {
  const { calls, root } = plainCallsOf(sent);
  const rejected = new Set(body.rejected?.map(({ index }) => index));
  const accepted = calls.filter((_, index) => !rejected.has(index));
  expect(stored).toHaveLength(accepted.length);
  const differing = accepted.flatMap((call, index) => differences(stored[index]?.body ?? "", call, root));
  expect(differing).toEqual([]);
  const storedBytes = stored.reduce((sum, call) => sum + Buffer.byteLength(call.body), 0);
  expect(heldBytes).toBeGreaterThanOrEqual(storedBytes / 2);
  expect(heldBytes).toBeLessThanOrEqual(ROOM_BYTES);
}

function expectBoundedWork({ plain }: SentBody): void {
  endTurn();
  // Each character is parsed once; names at the root, and nothing else, once more.
  expect(parsed.all).toBeLessThanOrEqual(plain.length + 1_000);
  expect(parsed.mostInTurn).toBeLessThanOrEqual(2 * MAX_CALL_BYTES);
  expect(turns).toBeLessThanOrEqual(4 + (3 * 2 * plain.length) / MAX_CALL_BYTES);
}

const statuses = new Map<string, number>();

async function holds(sent: SentBody): Promise<void> {
  Object.assign(parsed, { inTurn: 0, mostInTurn: 0, all: 0 });
  turns = 0;
  ingest.stored.length = 0;
  const reply = await send(sent);
  const { status, body } = reply;
  const isLarge = sent.plain.length > 2 * MAX_CALL_BYTES;
  const seen = `${status} ${isLarge ? "large" : "small"}`;
  statuses.set(seen, (statuses.get(seen) ?? 0) + 1);
  expect([200, 400]).toContain(status);
  expect(body.success).toBe(status === 200);
  expect(ingest.unexpected).toEqual([]);
  expect(ingest.gate.waitingBytes).toBe(0);
  expectBoundedWork(sent);
  if (status === 200) expectStored(sent, reply, ingest.stored);
  else {
    expect(typeof body.code).toBe("string");
    expect(ingest.stored).toEqual([]);
  }
  if (body.code === "invalid_json") expect(() => plainCallsOf(sent)).toThrow("no JSON");
}

test("any body, in any chunks, gzip'd or not", async () => {
  await fc.assert(fc.asyncProperty(anyBody, holds), { seed: SEED, numRuns: 600 });
  // Each way was taken often.
  for (const seen of ["200 small", "200 large", "400 small", "400 large"])
    expect(statuses.get(seen)).toBeGreaterThan(20);
}, 240_000);
