import { describe, expect, test } from "@jest/globals";
import { type AcceptContext, acceptCall, type CallType, MAX_CALL_BYTES, MAX_CALL_DEPTH } from "./index.ts";
import { jsonSizeBytes } from "./json.ts";

const RECEIVED_AT_MS = Date.parse("2024-05-01T10:00:00.000Z");
const CONTEXT: AcceptContext = { receivedAtMs: RECEIVED_AT_MS, newMessageId: () => "made-here" };

function accept(raw: unknown, context: Partial<AcceptContext> = {}) {
  const acceptance = acceptCall(raw, { ...CONTEXT, ...context });
  if (!acceptance.ok) throw new Error(`${acceptance.code}: ${acceptance.message}`);
  return acceptance.call;
}

function refuse(raw: unknown, context: Partial<AcceptContext> = {}) {
  const acceptance = acceptCall(raw, { ...CONTEXT, ...context });
  if (acceptance.ok) throw new Error(`accepted: ${acceptance.call.body}`);
  return { code: acceptance.code, message: acceptance.message };
}

const track = (fields: object = {}) => ({ type: "track", event: "Signed Up", userId: "u-1", ...fields });

/** The smallest valid call of each type. */
const VALID: Readonly<Record<CallType, Record<string, unknown>>> = {
  track: track(),
  page: { type: "page", userId: "u-1" },
  screen: { type: "screen", userId: "u-1" },
  identify: { type: "identify", userId: "u-1" },
  group: { type: "group", userId: "u-1", groupId: "g-1" },
  alias: { type: "alias", userId: "u-1", previousId: "p-1" },
};

describe("what a call needs (contract 1.5)", () => {
  test.each(Object.entries(VALID))("%s with its required fields is accepted", (type, call) => {
    expect(accept(call).type).toBe(type);
  });

  test.each(["track", "page", "screen", "identify", "group"] as const)(
    "%s passes with anonymousId alone",
    (type) => {
      const { userId: _, ...rest } = VALID[type];
      expect(accept({ ...rest, anonymousId: "a-1" })).toMatchObject({ userId: null, anonymousId: "a-1" });
    },
  );

  test.each(["track", "page", "screen", "identify", "group"] as const)(
    "%s without any id is refused, whether left out, null or empty",
    (type) => {
      for (const ids of [{}, { userId: null, anonymousId: null }, { userId: "", anonymousId: "" }]) {
        const { userId: _, ...rest } = VALID[type];
        expect(refuse({ ...rest, ...ids })).toEqual({
          code: "no_user_anon_id",
          message: `${type} needs userId or anonymousId`,
        });
      }
    },
  );

  test("the other id may be null, as one SDK always sends it", () => {
    const call = accept(track({ anonymousId: null, integrations: {} }));
    expect(call).toMatchObject({ userId: "u-1", anonymousId: null, integrations: {} });
    expect(JSON.parse(call.body)).not.toHaveProperty("anonymousId");
  });

  test.each([
    ["track without event", { type: "track", userId: "u" }, "event_not_defined"],
    ["track with an empty event", track({ event: "" }), "event_not_defined"],
    ["track with a null event", track({ event: null }), "event_not_defined"],
    ["an event that is a number", track({ event: 5 }), "event_not_string"],
    ["properties that are an array", track({ properties: [] }), "properties_not_object"],
    ["properties that are a string", { ...VALID.page, properties: "x" }, "properties_not_object"],
    ["a screen's properties that are a number", { ...VALID.screen, properties: 1 }, "properties_not_object"],
    ["traits that are a string", { ...VALID.identify, traits: "x" }, "traits_not_object"],
    ["a group's traits that are true", { ...VALID.group, traits: true }, "traits_not_object"],
    ["a page's name that is a number", { ...VALID.page, name: 1 }, "name_not_string"],
    ["a screen's name that is an object", { ...VALID.screen, name: {} }, "name_not_string"],
    ["group without groupId", { type: "group", userId: "u" }, "id_required"],
    ["alias without previousId", { type: "alias", userId: "u" }, "id_required"],
    ["alias without userId", { type: "alias", previousId: "p", anonymousId: "a" }, "id_required"],
    ["a userId that is a number", track({ userId: 5 }), "id_not_string"],
    ["an anonymousId that is a number beside a good userId", track({ anonymousId: 5 }), "id_not_string"],
    ["a groupId that is a number", { ...VALID.group, groupId: 5 }, "id_not_string"],
    ["a previousId that is an array", { ...VALID.alias, previousId: ["x"] }, "id_not_string"],
    ["a messageId that is a number", track({ messageId: 5 }), "id_not_string"],
    ["an unknown type", { type: "delete", userId: "u" }, "invalid_type"],
    ["a type in upper case", { ...VALID.track, type: "Track" }, "invalid_type"],
    ["no type", { userId: "u" }, "invalid_type"],
    ["a type that is a method's name", { type: "toString", userId: "u" }, "invalid_type"],
    ["a call that is an array", [], "not_an_object"],
    ["a call that is null", null, "not_an_object"],
    ["a context that is a string", track({ context: "x" }), "context_not_object"],
    ["integrations that are an array", track({ integrations: ["Webhooks"] }), "integrations_invalid"],
    ["integrations that hold a string", track({ integrations: { All: "false" } }), "integrations_invalid"],
  ])("%s is refused", (_, call, code) => {
    expect(refuse(call).code).toBe(code);
  });

  test("a message says what and where", () => {
    expect(refuse(track({ userId: 5 })).message).toBe("userId must be a string, is a number");
    expect(refuse({ type: "nope" }).message).toContain('is "nope"');
  });

  test.each([
    ["userId", "track"],
    ["anonymousId", "track"],
    ["messageId", "page"],
    ["groupId", "group"],
    ["previousId", "alias"],
  ] as const)(
    "a %s with half of a surrogate pair is refused: in Kafka others would be the same",
    (id, type) => {
      expect(refuse({ ...VALID[type], [id]: "order-\ud83d" })).toEqual({
        code: "id_not_string",
        message: `${id} must be well-formed Unicode, is cut within a character`,
      });
      expect(accept({ ...VALID[type], [id]: "order-\ud83d\ude00" }).type).toBe(type);
    },
  );

  test("inherited names count for nothing: __proto__ cannot supply an id", () => {
    expect(refuse(JSON.parse('{"type":"track","event":"e","__proto__":{"userId":"u"}}')).code).toBe(
      "no_user_anon_id",
    );
  });

  test("the route's type wins over the call's own", () => {
    expect(accept({ ...VALID.identify, type: "page" }, { type: "identify" }).type).toBe("identify");
  });
});

describe("message ids (contract 1.7)", () => {
  test("the caller's is kept, up to 100 characters", () => {
    const messageId = "é".repeat(100);
    expect(accept(track({ messageId })).messageId).toBe(messageId);
    expect(refuse(track({ messageId: `${messageId}x` })).code).toBe("message_id_too_long");
  });

  test.each([undefined, null, ""])("%p gets one", (messageId) => {
    const call = accept(track({ messageId }));
    expect(call.messageId).toBe("made-here");
    expect(JSON.parse(call.body).messageId).toBe("made-here");
  });
});

describe("limits of a call (contract 7.5)", () => {
  test("bytes are counted, not characters", () => {
    expect(refuse(track({ properties: { text: "€".repeat(11_000) } })).code).toBe("message_too_large");
  });

  function nested(depth: number): unknown {
    let value: unknown = 1;
    for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { value };
    return value;
  }

  test("nesting is bounded, and the bound is exact", () => {
    expect(accept(track({ properties: { deep: nested(MAX_CALL_DEPTH - 2) } })).type).toBe("track");
    expect(refuse(track({ properties: { deep: nested(MAX_CALL_DEPTH - 1) } }))).toEqual({
      code: "nested_too_deep",
      message: "a call may nest at most 64 levels deep",
    });
  });

  test("a number that would be delivered as null is refused, with its place", () => {
    const call = JSON.parse(
      '{"type":"track","event":"E","userId":"u","properties":{"items":[{"total":-1e400}]}}',
    );
    expect(refuse(call)).toMatchObject({
      code: "number_out_of_range",
      message: "properties.items[0].total is a number beyond what a double can hold (1.8e308)",
    });
  });

  test("a nesting that would exhaust the stack is refused like any other, also in a field that is not delivered", () => {
    expect(refuse(track({ properties: { deep: nested(100_000) } })).code).toBe("nested_too_deep");
    expect(refuse(track({ writeKey: nested(100_000) })).code).toBe("nested_too_deep");
  });
});

describe("context.ip (contract 7.7)", () => {
  const ip = "203.0.113.9";
  const contextOf = (context: unknown, more: Partial<AcceptContext> = {}) =>
    JSON.parse(accept(track({ context }), { ip, ...more }).body).context;

  test.each([
    "analytics.js",
    "analytics-kotlin",
    "analytics-swift",
    "analytics-ios",
    "analytics-react-native",
    "analytics_flutter",
  ])("is filled for %s", (name) => expect(contextOf({ library: { name } }).ip).toBe(ip));

  test.each(["analytics-node", "analytics-python", "analytics-go", "analytics-java"])(
    "is not filled for %s",
    (name) => expect(contextOf({ library: { name } })).not.toHaveProperty("ip"),
  );

  test("is filled for what a browser sent and for context.direct", () => {
    expect(contextOf({}, { fromBrowser: true }).ip).toBe(ip);
    expect(contextOf({ direct: true }).ip).toBe(ip);
  });

  test("the caller's own address stays", () => {
    expect(contextOf({ direct: true, ip: "192.0.2.1" }).ip).toBe("192.0.2.1");
  });

  test("that is null is filled as one that is not there", () => {
    expect(contextOf({ direct: true, ip: null }).ip).toBe(ip);
    expect(contextOf({ ip: null }).ip).toBeNull();
  });

  test.each([[{ library: "x" }], [{ library: null }], [{ library: { name: 5 } }]])(
    "%j is no reason to fail",
    (context) => {
      expect(contextOf(context)).toEqual(context);
    },
  );
});

describe("why a call is refused, in words and to the byte", () => {
  test("a wrong type is shown, and not all of a long one", () => {
    const wanted = "^type must be track, page, [a-z, ]+ or [a-z]+, is";
    expect(refuse({ type: "x".repeat(50) }).message).toMatch(new RegExp(`${wanted} "${"x".repeat(40)}"$`));
    expect(refuse({ type: 7 }).message).toMatch(new RegExp(`${wanted} a number$`));
    expect(refuse({}).message).toMatch(new RegExp(`${wanted} missing$`));
    expect(refuse(null).message).toBe("a call must be an object, is null");
  });

  test("a call of a batch may have 32,768 bytes; where the whole request has no more it is not measured", () => {
    const sized = (bytes: number) => {
      const empty = jsonSizeBytes(track({ text: "" }));
      return track({ text: "x".repeat(bytes - empty) });
    };
    expect(accept(sized(MAX_CALL_BYTES)).type).toBe("track");
    expect(refuse(sized(MAX_CALL_BYTES + 1))).toEqual({
      code: "message_too_large",
      message: "the call has 32769 bytes, at most 32768 are allowed",
    });
    expect(accept(sized(MAX_CALL_BYTES + 1), { sizeIsBounded: true }).type).toBe("track");
  });

  test.each([
    ["a write key", { writeKey: "x".repeat(40_000) }],
    ["a time of the server", { receivedAt: ["x".repeat(40_000)] }],
    ["a version", { version: "x".repeat(40_000) }],
    ["a second time", { timestamp: "2024-05-01", originalTimestamp: "\u0001".repeat(6_000) }],
    ["a sentAt beside the batch's", { sentAt: { fill: "x".repeat(40_000) } }],
    [
      "the spaced ids of an alias",
      { type: "alias", previousId: "p-1", "Previous ID": "€".repeat(6_000), "User ID": "€".repeat(6_000) },
    ],
  ])("%s counts, though it is not delivered (contract 7.5)", (_, fields) => {
    const sentAt = "2024-05-01T10:00:00.000Z";
    expect(refuse(track(fields), { sentAt }).code).toBe("message_too_large");
  });
});

describe("what a batch's root gives (contract 7.1)", () => {
  const root = { context: { a: 1, b: 1 }, integrations: { All: false, Webhooks: false } };

  test("stands where a call has nothing of its own, whether left out or null", () => {
    for (const own of [{}, { context: null, integrations: null }]) {
      const { body, integrations } = accept(track(own), { root });
      expect(JSON.parse(body)).toMatchObject(root);
      expect(integrations).toEqual(root.integrations);
    }
  });

  test("gives way to the call's own keys; without a root the call's own stand", () => {
    const own = { context: { b: 2 }, integrations: { Webhooks: true } };
    const { body, integrations } = accept(track(own), { root });
    const both = { context: { a: 1, b: 2 }, integrations: { All: false, Webhooks: true } };
    expect(JSON.parse(body)).toMatchObject(both);
    expect(integrations).toEqual(both.integrations);
    const alone = JSON.parse(accept(track(own)).body);
    expect([alone.context, alone.integrations]).toEqual([{ b: 2 }, { Webhooks: true }]);
    expect(JSON.parse(accept(track()).body)).toMatchObject({ context: {} });
  });

  test("a sentAt goes before the call's own", () => {
    const call = accept(track({ sentAt: "2020-01-01T00:00:00Z" }), { sentAt: "2024-05-01T09:59:00Z" });
    expect(JSON.parse(call.body).sentAt).toBe("2024-05-01T09:59:00Z");
  });

  test("a previousId is that of an alias alone, and none where an alias has none", () => {
    const previousIdOf = (call: object) => accept(call).previousId;
    expect(previousIdOf(VALID.alias)).toBe("p-1");
    expect(previousIdOf({ ...VALID.track, previousId: "p-1" })).toBeNull();
  });

  test("an event is that of a track call alone, and originalTimestamp is read where there is no timestamp", () => {
    expect(accept({ ...VALID.page, event: "x" }).event).toBeNull();
    const originalTimestamp = "2024-04-30T10:00:00.000Z";
    const { timestampMs, body } = accept(track({ originalTimestamp }));
    expect(timestampMs).toBe(Date.parse(originalTimestamp));
    expect(JSON.parse(body)).toMatchObject({ originalTimestamp });
  });
});
