// Requests that no SDK would send, made by the thousand. For tests.
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { BASIC, WRITE_KEY } from "./http.fixture.ts";

export interface MalformedRequest {
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
/** A request whose HTTP is right and whose body, or headers, are not. */
export const malformedRequest: fc.Arbitrary<MalformedRequest> = fc.oneof(
  { weight: 80, arbitrary: fc.record({ path, headers, body: plain }) },
  { weight: 15, arbitrary: fc.record({ path, headers: fc.constant({ ...GZIP }), body: brokenGzip }) },
  { weight: 1, arbitrary: fc.record({ path, headers: fc.constant({ ...GZIP }), body: gzipBomb }) },
);

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
/** Bytes that are not even HTTP, or only nearly. */
export const brokenHttp = fc.oneof(
  fc.uint8Array({ maxLength: 500 }),
  fc
    .tuple(requestLine, fc.array(line, { maxLength: 6 }), tail)
    .map(([first, lines, rest]) => text(`${[first, ...lines].join("\r\n")}\r\n\r\n${rest}`)),
);
