import { expect, test } from "@jest/globals";
import { World } from "./testing/world.ts";

const client = () => new World().client();
type Calls = Record<string, (message: unknown) => { ok: boolean; reason?: string; message?: string }>;

const REFUSED: [call: string, message: unknown, says: string][] = [
  ["identify", {}, "identify: userId or anonymousId is required"],
  ["track", { userId: "u" }, "track: event is required"],
  ["track", { event: "E" }, "track: userId or anonymousId is required"],
  ["track", { event: "", userId: "u" }, "track: event is required"],
  ["track", { event: 7, userId: "u" }, "track: event must be a text"],
  ["track", { event: "E", userId: 7 }, "track: userId must be a text"],
  ["page", { anonymousId: "a" }, "page: userId is required"],
  ["screen", { name: "S" }, "screen: userId or anonymousId is required"],
  ["group", { userId: "u" }, "group: groupId is required"],
  ["group", { groupId: "g" }, "group: userId or anonymousId is required"],
  ["alias", { userId: "u" }, "alias: previousId is required"],
  ["alias", { previousId: "p" }, "alias: userId is required"],
  ["identify", { userId: "u", traits: [] }, "identify: traits must be an object"],
  ["track", { userId: "u", event: "E", properties: "p" }, "track: properties must be an object"],
  ["track", { userId: "u", event: "E", context: 1 }, "track: context must be an object"],
  ["identify", { userId: "u", messageId: 7 }, "identify: messageId must be a text"],
  ["identify", { userId: "u", messageId: "é".repeat(101) }, "identify: messageId has more than 100"],
  ["identify", { userId: "u", timestamp: 7 }, "identify: timestamp must be a text or a valid Date"],
  ["identify", { userId: "u", timestamp: new Date(Number.NaN) }, "identify: timestamp must be"],
  ["identify", undefined, "identify: the message must be an object"],
  ["identify", null, "identify: the message must be an object"],
  ["identify", "u", "identify: the message must be an object"],
];

test.each(REFUSED)("%s(%j) is refused", (call, message, says) => {
  const answer = (client() as unknown as Calls)[call]?.(message);
  expect(answer).toMatchObject({ ok: false, reason: "field_wrong" });
  expect(answer?.message).toContain(says);
});

const self: Record<string, unknown> = {};
self["self"] = self;
const throwing = Object.defineProperty({}, "userId", {
  get() {
    throw new Error("no");
  },
});
const NOT_JSON: [what: string, message: unknown][] = [
  ["what holds itself", { userId: "u", traits: self }],
  ["a BigInt", { userId: "u", traits: { big: 1n } }],
  ["a getter that throws", throwing],
];

test.each(NOT_JSON)("%s is refused, not thrown", (_, message) => {
  expect((client() as unknown as Calls)["identify"]?.(message)).toMatchObject({
    ok: false,
    reason: "not_json",
  });
});

function nested(levels: number, key = "n"): Record<string, unknown> {
  return levels === 1 ? { [key]: 1 } : { [key]: nested(levels - 1, key) };
}

// The message is level 1 (contract: the server's rule).
test.each(["n", '\\"{', "{[", "\\"])("a message nests at most 64 levels, with keys like %j", (key) => {
  const write = (traits: object) => client().identify({ userId: "u", traits });
  expect(write(nested(63, key))).toMatchObject({ ok: true });
  expect(write(nested(64, key))).toMatchObject({ ok: false, reason: "nested_too_deep" });
  expect(write({ list: [{ toJSON: () => nested(62, key) }] })).toMatchObject({ reason: "nested_too_deep" });
});

test("a call is dated when it is made, or by what is given", async () => {
  const world = new World();
  const sender = world.client({ flushAt: 3 });
  sender.identify({ userId: "u" });
  await world.pass(1_000);
  sender.identify({ userId: "u", timestamp: new Date(0) });
  sender.identify({ userId: "u", timestamp: "2009-11-10T23:00:00+0000", messageId: "mine" });
  await world.until(sender.close());
  const [request] = world.requests;
  expect(request?.batch.map(({ timestamp, messageId }) => [timestamp, messageId])).toEqual([
    ["2026-01-31T12:00:00.123Z", "id-1"],
    ["1970-01-01T00:00:00.000Z", "id-2"],
    ["2009-11-10T23:00:00+0000", "mine"],
  ]);
  expect(request?.body).toContain('"sentAt":"2026-01-31T12:00:01.123Z"');
});

test("an accepted message is the caller's again", async () => {
  const world = new World();
  const sender = world.client();
  const traits = { name: "before" };
  sender.identify({ userId: "u", traits });
  traits.name = "after";
  await world.until(sender.close());
  expect(world.requests[0]?.batch[0]?.["traits"]).toEqual({ name: "before" });
});
