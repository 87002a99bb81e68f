import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { type AcceptContext, acceptCall, CALL_TYPES, deleteBody, signBody } from "./index.ts";

const CONTEXT: AcceptContext = {
  receivedAtMs: Date.parse("2024-05-01T10:00:00.000Z"),
  newMessageId: () => "m-1",
};

function bodyOf(call: unknown, context: Partial<AcceptContext> = {}): string {
  const acceptance = acceptCall(call, { ...CONTEXT, ...context });
  if (!acceptance.ok) throw new Error(acceptance.message);
  return acceptance.call.body;
}

const TAIL = '"messageId":"m-1","receivedAt":"2024-05-01T10:00:00.000Z"';
const NOW = '"timestamp":"2024-05-01T10:00:00.000Z"';

describe("the delivered body (contract 2.4)", () => {
  test.each([
    [
      "page",
      { type: "page", userId: "u", properties: { path: "/", title: "T" } },
      `{"version":1,"type":"page","userId":"u","properties":{"path":"/","title":"T"},${NOW},"context":{},${TAIL}}`,
    ],
    [
      "screen",
      { type: "screen", userId: "u", name: "Home", context: { os: { name: "iOS" } }, properties: { a: 1 } },
      `{"version":1,"type":"screen","userId":"u","name":"Home",${NOW},"context":{"os":{"name":"iOS"}},"properties":{"a":1},${TAIL}}`,
    ],
    [
      "identify",
      { type: "identify", userId: "u", traits: { plan: "pro", age: 4 } },
      `{"version":1,"type":"identify","userId":"u","traits":{"plan":"pro","age":4},${NOW},"context":{},${TAIL}}`,
    ],
    [
      "track",
      { type: "track", userId: "u", event: "E", properties: { total: 1.5 } },
      `{"version":1,"type":"track","userId":"u","event":"E","properties":{"total":1.5},${NOW},"context":{},${TAIL}}`,
    ],
    [
      "alias",
      { type: "alias", userId: "u", previousId: "p" },
      `{"version":1,"type":"alias",${NOW},"Previous ID":"p","User ID":"u","context":{},"previousId":"p","userId":"u",${TAIL}}`,
    ],
    [
      "group",
      { type: "group", userId: "u", groupId: "g", traits: { name: "N" } },
      `{"version":1,"type":"group","groupId":"g","userId":"u","traits":{"name":"N"},${NOW},"context":{},${TAIL}}`,
    ],
  ])("%s has its fields in the contract's order", (_, call, body) => {
    expect(bodyOf(call)).toBe(body);
  });

  test("the optional tail follows in its order, then the caller's other keys in theirs", () => {
    const call = {
      zeta: 1,
      sentAt: "2024-05-01T10:00:00.000Z",
      integrations: { All: true },
      category: "C",
      name: "N",
      anonymousId: "a",
      userId: "u",
      messageId: "own",
      timestamp: "2024-05-01T09:00:00.000Z",
      alpha: { x: 1 },
      type: "page",
    };
    expect(Object.keys(JSON.parse(bodyOf(call)))).toEqual([
      ...["version", "type", "userId", "properties", "timestamp", "context"],
      ...[
        "anonymousId",
        "name",
        "category",
        "integrations",
        "messageId",
        "originalTimestamp",
        "sentAt",
        "receivedAt",
      ],
      ...["zeta", "alpha"],
    ]);
  });

  test("properties and traits that the caller left out are empty objects; a screen has none", () => {
    expect(JSON.parse(bodyOf({ type: "track", event: "E", userId: "u" })).properties).toEqual({});
    expect(JSON.parse(bodyOf({ type: "identify", userId: "u", traits: null })).traits).toEqual({});
    expect(JSON.parse(bodyOf({ type: "screen", userId: "u" }))).not.toHaveProperty("properties");
  });

  test("an id that is empty is not delivered", () => {
    const body = bodyOf({ type: "page", userId: "", anonymousId: "a" });
    expect(body).not.toContain("userId");
    expect(bodyOf({ type: "page", userId: "u", anonymousId: "" })).not.toContain("anonymousId");
  });

  test("a call's writeKey is never delivered", () => {
    expect(bodyOf({ type: "page", userId: "u", writeKey: "secret-key" })).not.toContain("secret-key");
  });

  test("version, type, receivedAt and the spaced keys cannot be forged", () => {
    const forged = { version: 9, receivedAt: "x", "Previous ID": "x", "User ID": "x", context: null };
    const body = JSON.parse(bodyOf({ ...forged, type: "alias", userId: "u", previousId: "p" }));
    expect(body).toMatchObject({
      version: 1,
      type: "alias",
      "Previous ID": "p",
      "User ID": "u",
      context: {},
    });
    expect(body.receivedAt).toBe("2024-05-01T10:00:00.000Z");
  });

  test("a key called __proto__ arrives as it was sent", () => {
    const sent = '{"type":"page","userId":"u","__proto__":{"polluted":1},"properties":{"__proto__":2}}';
    const body = bodyOf(JSON.parse(sent));
    expect(body).toContain('"__proto__":{"polluted":1}');
    expect(body).toContain('"properties":{"__proto__":2}');
  });

  test("values keep their type and are printed as JSON.stringify prints them", () => {
    const call = JSON.parse(
      '{"type":"page","userId":"u","properties":{"a":-0,"b":1E21,"c":"5","d":1.7e308,"e":0.1e-6}}',
    );
    expect(bodyOf(call)).toContain('"properties":{"a":0,"b":1e+21,"c":"5","d":1.7e+308,"e":1e-7}');
  });
});

describe("stability (contract 2.3)", () => {
  const isStable = (body: string) => JSON.stringify(JSON.parse(body)) === body;

  test("keys that look like array indexes come first, as any parser of JavaScript will have them", () => {
    const body = bodyOf(
      JSON.parse('{"type":"page","userId":"u","10":1,"9":2,"properties":{"b":1,"2":1,"1":1}}'),
    );
    expect(body.startsWith('{"9":2,"10":1,"version":1,')).toBe(true);
    expect(isStable(body)).toBe(true);
  });

  /** JSON texts with everything that is odd about JSON. */
  // No backslash in a key: it leads V8's JSON.parse, here the receiver's, astray (exact-json/exact-json.ts).
  const oddKey = fc.oneof(
    fc.string().filter((key) => !key.includes("\\")),
    fc.nat({ max: 4_294_967_296 }).map(String),
    fc.constantFrom(
      "__proto__",
      "constructor",
      "toJSON",
      "",
      "\ud800",
      "\u2028",
      "Previous ID",
      "User ID",
      "version",
    ),
  );
  const oddNumber = fc.constantFrom(
    "-0",
    "1e400",
    "-1e400",
    "1E21",
    "1.0E-7",
    "1e-07",
    "0.1",
    "12345678901234567890",
  );
  const oddString = fc.oneof(
    fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u003c&>"', '"\u2028"', '"\\u0000"'),
  );
  const { value: oddJson } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      oddString,
      oddNumber,
      fc.constantFrom("true", "false", "null"),
      fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(fc.tuple(oddKey, tie("value")), { maxLength: 5 })
        .map(
          (entries) => `{${entries.map(([key, value]) => `${JSON.stringify(key)} : ${value}`).join(",")}}`,
        ),
    ),
  }));
  const oddCall = fc
    .tuple(fc.constantFrom(...CALL_TYPES), fc.array(fc.tuple(oddKey, oddJson), { maxLength: 6 }), oddJson)
    .map(([type, others, nested]) => {
      const entries = others.map(([key, value]) => `${JSON.stringify(key)}:${value}`);
      const own = `"type":"${type}","userId":"u","event":"e","groupId":"g","previousId":"p"`;
      return `{${[...entries, own, `"properties":{"x":${nested}},"traits":{"y":${nested}},"context":{"z":${nested}}`].join(",")}}`;
    });

  test("any body stays as it is under JSON.stringify(JSON.parse(body)), and so does its signature", () => {
    fc.assert(
      fc.property(oddCall, (text) => {
        const acceptance = acceptCall(JSON.parse(text), {
          ...CONTEXT,
          root: { context: JSON.parse('{"2":1,"__proto__":1}') },
        });
        // A generated key may be one that has rules, such as "name".
        if (!acceptance.ok) return true;
        const { body } = acceptance.call;
        const again = Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString())));
        return isStable(body) && signBody("s", Buffer.from(body)) === signBody("s", again);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a deletion (contract 2.4, 5.1)", () => {
  const timestampMs = Date.parse("2012-12-02T00:30:08.276Z");

  test("its body and signature are the contract's test vector", () => {
    const body = deleteBody({ userId: "019mr8mf4r", timestampMs });
    expect(body).toBe('{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}');
    expect(signBody("s3cr3t", Buffer.from(body))).toBe("ce8a59eb51054286f0df3eb0c27b1a1be7a96e59");
  });

  test("it carries its messageId last", () => {
    expect(deleteBody({ userId: "u", timestampMs, messageId: "m" })).toBe(
      '{"type":"delete","userId":"u","timestamp":"2012-12-02T00:30:08.276Z","messageId":"m"}',
    );
  });
});
