// Bodies of every kind for the tracking routes, mostly nearly right ones, and how they are sent. For tests.
import { gzipSync } from "node:zlib";
import fc from "fast-check";

export interface SentBody {
  readonly path: "/v1/track" | "/v1/batch";
  /** Before gzip. */
  readonly plain: Buffer;
  /** As sent. */
  readonly bytes: Buffer;
  readonly isGzip: boolean;
  /** Where the bytes are cut into chunks. */
  readonly cuts: readonly number[];
}

const blank = fc.constantFrom("", "", "", " ", "\n", "\t\r ");

/** A string as somebody may write it: any of its characters escaped. */
const written = (value: string) =>
  fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }).map((choices) => {
    const units = value.split("").map((unit, index) => {
      const isEscaped = choices[index % choices.length] === 0;
      return isEscaped
        ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
        : JSON.stringify(unit).slice(1, -1);
    });
    return `"${units.join("")}"`;
  });

const text = fc
  .oneof(fc.string({ maxLength: 8 }), fc.string({ unit: "binary", maxLength: 4 }))
  .chain(written);
const key = fc.oneof(
  text,
  fc.constantFrom('"a"', '"1"', '"__proto__"', '"\\\\"', '"\\n"', '"\\u0061"', '"toJSON"', '"All"'),
);
const number = fc.constantFrom("0", "-0", "1.50", "1e3", "-1E-7", "1e999", "12345678901234567890", "0.1");

const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(text, number, fc.constantFrom("true", "false", "null")),
    tie("object"),
    tie("array"),
  ),
  object: membersOf(fc.tuple(key, tie("value"))),
  array: fc
    .tuple(fc.array(tie("value"), { maxLength: 4 }), blank)
    .map(([items, gap]) => `[${items.join(`${gap},`)}${gap}]`),
}));

function membersOf(member: fc.Arbitrary<[string, string]>, maxLength = 4): fc.Arbitrary<string> {
  return fc
    .tuple(fc.array(member, { maxLength }), blank)
    .map(
      ([members, gap]) =>
        `{${gap}${members.map(([name, given]) => `${name}${gap}:${given}`).join(`,${gap}`)}}`,
    );
}

const fieldOf = (names: readonly string[]) => fc.constantFrom(...names).chain(written);
const anyMember = fc.oneof(
  fc.tuple(fieldOf(["properties", "context", "integrations"]), membersOf(fc.tuple(key, value))),
  fc.tuple(fieldOf(["messageId", "anonymousId", "userId", "timestamp", "sentAt", "name"]), text),
  fc.tuple(fc.oneof(key, fieldOf(["event", "type", "properties", "version", "writeKey"])), value),
);
/** A call that is mostly right. */
const call = fc.array(anyMember, { maxLength: 5 }).map((members) => {
  const own = [['"type"', '"track"'], ['"event"', '"E"'], ['"userId"', '"u"'], ...members];
  return `{${own.map(([name, given]) => `${name}:${given}`).join(",")}}`;
});

const LARGE = 70_000;
/** What makes a batch large enough to be parsed in turns. */
const weight = fc.oneof(
  fc.constant(""),
  fc.constantFrom(`"x":"${"x".repeat(LARGE)}",`, `"x":[${"[],".repeat(LARGE / 3)}0],`, " ".repeat(LARGE)),
);
/** Some of them twice: then the last counts. */
const rootMembers = fc.array(
  fc.oneof(
    fc.tuple(fieldOf(["context", "integrations"]), membersOf(fc.tuple(key, value))),
    fc.tuple(fieldOf(["batch"]), fc.constantFrom("[]", "[{}]", "0")),
    anyMember,
  ),
  { maxLength: 4 },
);
const calls = fc.array(fc.oneof({ weight: 9, arbitrary: call }, value), { minLength: 1, maxLength: 6 });
const batch = fc
  .tuple(calls, rootMembers, weight, fc.constantFrom(1, 1, 1, 300))
  .map(([items, members, heavy, times]) => {
    const all = new Array(times).fill(items.join(", ")).join(",");
    return `{${heavy}${members.map(([name, given]) => `${name}:${given},`).join("")}"batch":[${all}]}`;
  });

/** A few bytes of it exchanged. */
const damaged = (bytes: fc.Arbitrary<Buffer>) =>
  fc
    .tuple(
      bytes,
      fc.nat(),
      fc.nat(3),
      fc.oneof(
        fc.uint8Array({ maxLength: 3 }),
        fc.constantFrom("{", "]", '"', ",", "\\", "0").map(Buffer.from),
      ),
    )
    .map(([whole, at, cut, patch]) => {
      const from = at % (whole.length + 1);
      return Buffer.concat([whole.subarray(0, from), patch, whole.subarray(from + cut)]);
    });

const asBytes = (json: fc.Arbitrary<string>) => json.map((given) => Buffer.from(given));
const body = (json: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 6, arbitrary: asBytes(json) },
    { weight: 3, arbitrary: damaged(asBytes(json)) },
    { weight: 1, arbitrary: asBytes(json).map((bytes) => Buffer.concat([Buffer.from("\ufeff"), bytes])) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );

const routed = fc.oneof(
  { weight: 1, arbitrary: fc.record({ path: fc.constant("/v1/track" as const), plain: body(call) }) },
  { weight: 3, arbitrary: fc.record({ path: fc.constant("/v1/batch" as const), plain: body(batch) }) },
);

export const anyBody: fc.Arbitrary<SentBody> = fc
  .tuple(routed, fc.boolean(), fc.array(fc.nat(), { maxLength: 12 }))
  .map(([{ path, plain }, isGzip, places]) => {
    const bytes = isGzip ? gzipSync(plain) : plain;
    const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
    return { path, plain, bytes, isGzip, cuts };
  });
