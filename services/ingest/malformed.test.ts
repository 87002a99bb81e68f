// Ten thousand requests that no SDK would send: the service answers each as the contract says or closes the connection,
// never fails, and its memory stays bounded.
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { BASIC, type IngestFixture, post, startFixture, WRITE_KEY } from "./http-fixture.ts";

const SEED = 20_240_501;
const PARALLEL = 16;

let ingest: IngestFixture;
beforeAll(async () => {
  ingest = await startFixture();
});
afterAll(() => ingest.close());

interface Malformed {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const PATHS = [
  "/v1/track",
  "/v1/identify",
  "/v1/page",
  "/v1/screen",
  "/v1/group",
  "/v1/alias",
  "/v1/batch",
  "/v1/import/",
];
const path = fc.constantFrom(...PATHS);
const text = (value: string) => Buffer.from(value);
const repeat = (unit: string, max: number) => fc.integer({ min: 1, max }).map((count) => unit.repeat(count));

const randomBytes = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes));

const deepNesting = fc.oneof(
  repeat("[", 500_000),
  repeat('{"a":', 100_000),
  fc
    .integer({ min: 1, max: 15_000 })
    .map(
      (depth) =>
        `{"event":"e","userId":"u","properties":${'{"a":'.repeat(depth / 2)}1${"}".repeat(depth / 2)}}`,
    ),
  fc
    .integer({ min: 1, max: 15_000 })
    .map((depth) => `{"userId":"u","event":"e","x":${"[".repeat(depth)}${"]".repeat(depth)}}`),
  fc.integer({ min: 1, max: 80_000 }).map((depth) => `{"batch":${"[".repeat(depth)}${"]".repeat(depth)}}`),
);

const hugeNumbers = fc
  .oneof(
    repeat("9", 30_000),
    fc.constantFrom(
      "1e999999",
      "-1e400",
      "1e-999999",
      "0.1e1000000000000",
      "-0",
      "01",
      "1.",
      ".5",
      "0x10",
      "NaN",
    ),
  )
  .map(
    (number) =>
      `{"event":"e","userId":"u","timestamp":${number},"properties":{"n":${number}},"messageId":"m"}`,
  );

const badUtf8 = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 50, min: 0x80 }), fc.boolean())
  .map(([bytes, inKey]) => {
    const [before, after] = inKey
      ? ['{"event":"e","userId":"u","', '":1}']
      : ['{"event":"e","userId":"', '"}'];
    return Buffer.concat([text(before), bytes, text(after)]);
  });

const duplicateKeys = fc
  .array(
    fc.constantFrom(
      '"userId":"u"',
      '"userId":5',
      '"event":"e"',
      '"event":[]',
      '"batch":[]',
      '"batch":[{}]',
      '"type":"page"',
    ),
    {
      maxLength: 200,
    },
  )
  .map((entries) => `{${entries.join(",")}}`);

const prototypes = fc
  .tuple(
    fc.constantFrom("__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "toJSON", "then"),
    fc.jsonValue(),
  )
  .map(([key, value]) => {
    const entry = `${JSON.stringify(key)}:${JSON.stringify(value)}`;
    const call = `{${entry},"event":"e","userId":"u","type":"track","context":{${entry}},"integrations":{${entry}},"properties":{${entry}}}`;
    return `{${entry},"event":"e","userId":"u","context":{${entry}},"batch":[${call},{${entry}}]}`;
  });

/** Every field that means something, with any value at all. */
const field = fc.constantFrom(
  ...[
    "type",
    "userId",
    "anonymousId",
    "groupId",
    "previousId",
    "event",
    "name",
    "properties",
    "traits",
    "context",
  ],
  ...[
    "integrations",
    "messageId",
    "timestamp",
    "originalTimestamp",
    "sentAt",
    "writeKey",
    "batch",
    "version",
    "receivedAt",
  ],
);
const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    "u",
    "",
    null,
    0,
    [],
    {},
    "track",
    "2024-01-01T00:00:00+0000",
    "9999-99-99T99:99:99Z",
  ),
  fc.constantFrom<unknown>("+275760-09-13T00:00:00.000Z", "-271821-04-20T00:00:00.000Z", "x".repeat(5_000)),
);
const wrongTypes = fc.array(fc.tuple(field, anyValue), { maxLength: 12 }).chain((entries) =>
  fc.boolean().map((inBatch) => {
    const call = Object.fromEntries(entries);
    return JSON.stringify(inBatch ? { ...call, batch: [call, call, null, 5, [call]] } : call);
  }),
);

const GOOD_GZIP = gzipSync(
  JSON.stringify({ batch: [{ type: "track", event: "e", userId: "u" }], userId: "u", event: "e" }),
);
const brokenGzip = fc.oneof(
  fc.integer({ min: 0, max: GOOD_GZIP.length - 1 }).map((length) => GOOD_GZIP.subarray(0, length)),
  fc.tuple(fc.nat({ max: GOOD_GZIP.length - 1 }), fc.integer({ min: 1, max: 255 })).map(([at, flip]) => {
    const copy = Buffer.from(GOOD_GZIP);
    copy.writeUInt8(copy.readUInt8(at) ^ flip, at);
    return copy;
  }),
  randomBytes.map((bytes) => Buffer.concat([GOOD_GZIP, bytes])),
  randomBytes.map((bytes) => Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), bytes])),
);

/** Members of 10 MB of blanks, one after the other: up to 480 MB out of 480 KB. */
const BOMB_MEMBER = gzipSync(Buffer.alloc(10_000_000, 32), { level: 9 });
const gzipBomb = fc
  .integer({ min: 1, max: Math.floor(500_000 / BOMB_MEMBER.length) })
  .map((members) => Buffer.concat(new Array<Buffer>(members).fill(BOMB_MEMBER)));

const asText = (arbitrary: fc.Arbitrary<string>) => arbitrary.map(text);
const plain = fc.oneof(
  { weight: 2, arbitrary: randomBytes },
  { weight: 1, arbitrary: asText(deepNesting) },
  { weight: 1, arbitrary: asText(hugeNumbers) },
  { weight: 2, arbitrary: badUtf8 },
  { weight: 2, arbitrary: asText(duplicateKeys) },
  { weight: 3, arbitrary: asText(prototypes) },
  { weight: 5, arbitrary: asText(wrongTypes) },
);
const header = fc.string({ unit: "grapheme-ascii", maxLength: 40 });
const headers = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Record<string, string>>({ ...BASIC }) },
  { weight: 1, arbitrary: header.map((value) => ({ authorization: value })) },
  { weight: 1, arbitrary: header.map((value) => ({ ...BASIC, "content-encoding": value })) },
  {
    weight: 1,
    arbitrary: header.map((value) => ({ ...BASIC, "content-type": value, "x-forwarded-for": value })),
  },
);
const GZIP = { ...BASIC, "content-encoding": "gzip" };
const malformed: fc.Arbitrary<Malformed> = fc.oneof(
  { weight: 80, arbitrary: fc.record({ path, headers, body: plain }) },
  { weight: 15, arbitrary: fc.record({ path, headers: fc.constant({ ...GZIP }), body: brokenGzip }) },
  { weight: 1, arbitrary: fc.record({ path, headers: fc.constant({ ...GZIP }), body: gzipBomb }) },
);

const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
afterAll(() => agent.destroy());

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function statusOf({ path: to, headers: given, body }: Malformed): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method: "POST", agent, headers: { ...given, "content-length": String(body.length) } };
  request(ingest.url + to, options, resolve)
    .on("error", reject)
    .end(body);
  const response = await promise;
  const answer = JSON.parse(await readAll(response));
  const { statusCode = 0 } = response;
  // A refusal names its code; a success does not.
  if ((statusCode === 200) !== (answer.success === true))
    throw new Error(`${statusCode}: ${JSON.stringify(answer)}`);
  if (statusCode === 400 && typeof answer.code !== "string") throw new Error("400 without a code");
  return statusCode;
}

/** Sends bytes as they are and waits for the end of the connection; gives the status lines that came. */
async function statusesOfRaw(bytes: Uint8Array): Promise<string[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  const socket = connect(ingest.port, "127.0.0.1", () => socket.end(bytes));
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => resolve());
  await promise;
  return [
    ...Buffer.concat(chunks)
      .toString("latin1")
      .matchAll(/HTTP\/1\.1 (\d{3})/g),
  ].map(([, status = ""]) => status);
}

/** Runs `each` over all items, a few at a time. */
async function inParallel<T, R>(items: readonly T[], each: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.values();
  const work = async () => {
    for (const item of left) results.push(await each(item));
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return results;
}

async function stillServes(): Promise<void> {
  expect(ingest.unexpected).toEqual([]);
  expect(ingest.gate.waitingBytes).toBe(0);
  const reply = await post(ingest, "/v1/track", { body: { event: "E", userId: "u" } });
  expect(reply).toMatchObject({ status: 200, body: { success: true } });
}

describe("malformed requests (contract 7.3, 7.5)", () => {
  test("9,000 malformed bodies are each answered 200 or 400, and memory stays bounded", async () => {
    const startBytes = process.memoryUsage().rss;
    let peakBytes = 0;
    const rounds = 9;
    const counts = new Map<number, number>();
    for (let round = 0; round < rounds; round += 1) {
      const requests = fc.sample(malformed, { numRuns: 1_000, seed: SEED + round });
      for (const status of await inParallel(requests, statusOf))
        counts.set(status, (counts.get(status) ?? 0) + 1);
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
      ingest.stored.length = 0;
    }
    expect([...counts.keys()].sort()).toEqual([200, 400]);
    expect((counts.get(200) ?? 0) + (counts.get(400) ?? 0)).toBe(9_000);
    // The bombs alone would be some 20 GB; what is allowed here is mostly the generated requests themselves.
    expect(peakBytes - startBytes).toBeLessThan(400_000_000);
    await stillServes();
  }, 120_000);

  const requestLine = fc.constantFrom(
    "POST /v1/track HTTP/1.1",
    "GET / HTTP/1.1",
    "POST /v1/batch HTTP/1.0",
    "\0\0",
    "POST",
  );
  const line = fc.oneof(
    fc.constantFrom(
      "Host: x",
      "Content-Length: 5",
      "Content-Length: -1",
      "Content-Length: 99999999999999999999",
    ),
    fc.constantFrom(
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: gzip, chunked",
      "Expect: 100-continue",
      "Upgrade: websocket",
    ),
    fc.constantFrom(
      `X-Long: ${"x".repeat(20_000)}`,
      ": no name",
      "bad header",
      `Authorization: Bearer ${WRITE_KEY}`,
    ),
    fc.string({ maxLength: 50 }),
  );
  const tail = fc.oneof(
    fc.constantFrom("", "5\r\nhello\r\n0\r\n\r\n", "FFFFFFFFFF\r\n", "zz\r\n", "{}"),
    fc.string({ maxLength: 100 }),
  );
  const raw = fc.oneof(
    fc.uint8Array({ maxLength: 500 }),
    fc
      .tuple(requestLine, fc.array(line, { maxLength: 6 }), tail)
      .map(([first, lines, rest]) => text(`${[first, ...lines].join("\r\n")}\r\n\r\n${rest}`)),
  );

  test("1,000 connections that speak broken HTTP are each closed, never with a 5xx", async () => {
    const statuses = (await inParallel(fc.sample(raw, { numRuns: 1_000, seed: SEED }), statusesOfRaw)).flat();
    expect(statuses.filter((status) => status.startsWith("5"))).toEqual([]);
    expect(statuses.filter((status) => status === "400").length).toBeGreaterThan(100);
    await stillServes();
  }, 120_000);
});
