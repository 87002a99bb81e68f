import { expect, test } from "@jest/globals";
import { type FlipContext, messageIdOf, trackCall, trackMessageIdOf, traitsCall } from "./calls.ts";

const AT_MS = Date.parse("2026-01-31T01:02:03.004Z");
const FLIP = {
  ...{ computationId: "aud_1", generation: 1, seq: 1, text: "true", atMs: AT_MS },
  ...{ traits: "", isTracked: false },
};

const list = { kind: "list" } as const;
const audience: FlipContext["computation"] = {
  id: "aud_1",
  key: "big_spenders",
  name: "Big spenders",
  definition: list,
};
const profile = { id: "u1", incarnation: 7 };

test("contract 2.4, 8.2, 8.5: the body of a membership, its context exactly {personas}", () => {
  const call = traitsCall(FLIP, { profile, computation: audience });
  expect(call.body).toBe(
    '{"version":1,"type":"identify","userId":"u1","traits":{"big_spenders":true},"timestamp":"2026-01-31T01:02:03.004Z",' +
      '"context":{"personas":{"computation_class":"audience","computation_id":"aud_1","computation_key":"big_spenders",' +
      '"namespace":"default","space_id":"spa_default"}},"integrations":{"All":false,"Webhooks":true},' +
      `"messageId":"${call.messageId}","receivedAt":"2026-01-31T01:02:03.004Z"}`,
  );
  expect(call).toMatchObject({
    type: "identify",
    userId: "u1",
    anonymousId: null,
    integrations: { All: false, Webhooks: true },
    timestampMs: AT_MS,
  });
});

test("an anonymous member has an anonymousId and no userId", () => {
  const call = traitsCall(FLIP, {
    profile: { ...profile, id: "anon:x" },
    computation: audience,
  });
  expect(call).toMatchObject({ userId: null, anonymousId: "x" });
  expect(JSON.parse(call.body)).not.toHaveProperty("userId");
});

test("contract 8.9: of an account a group call says it, and a track call that has it in its context; neither has a user", () => {
  const context = { profile: { id: "group:acme", incarnation: 7 }, computation: audience };
  const call = traitsCall(FLIP, context);
  expect(call).toMatchObject({ type: "group", userId: null, anonymousId: null, groupId: "acme" });
  expect(call.body).toMatch(
    /^\{"version":1,"type":"group","groupId":"acme","traits":\{"big_spenders":true\},"timestamp":/,
  );
  const track = trackCall(FLIP, context);
  expect(track).toMatchObject({ type: "track", userId: null, anonymousId: null, groupId: "acme" });
  expect(JSON.parse(track.body)).toMatchObject({ context: { groupId: "acme", personas: {} } });
  expect(JSON.parse(track.body)).not.toHaveProperty("groupId");
});

test.each([
  ["user:anon:x", "anon:x"],
  ["user:group:x", "group:x"],
  ["user:user:x", "user:x"],
])("the user of profile %s is %s", (id, userId) => {
  expect(traitsCall(FLIP, { profile: { ...profile, id }, computation: audience })).toMatchObject({ userId });
});

test("the message id is a uuid v5, the same each time, another one for each flip, profile and incarnation", () => {
  const context = { profile, computation: audience };
  const id = messageIdOf(FLIP, context);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const later = { ...FLIP, atMs: 1, text: "false" };
  expect(messageIdOf(later, context)).toBe(id);
  const others = [
    messageIdOf({ ...FLIP, seq: 2 }, context),
    messageIdOf({ ...FLIP, generation: 2 }, context),
    messageIdOf(FLIP, { ...context, profile: { ...profile, id: "u2" } }),
    messageIdOf(FLIP, { ...context, profile: { ...profile, incarnation: 8 } }),
    messageIdOf(FLIP, { ...context, computation: { ...audience, id: "aud_2" } }),
    trackMessageIdOf(FLIP, context),
    trackMessageIdOf({ ...FLIP, seq: 2 }, context),
  ];
  expect(new Set([id, ...others]).size).toBe(8);
  expect(trackMessageIdOf(later, context)).toBe(trackMessageIdOf(FLIP, context));
});

test("contract 8.7: the track call of a change, its properties the traits that are sent along and the audience", () => {
  const along = { ...FLIP, isTracked: true, traits: '{"plan":"pro","__proto__":{"a":1}}' };
  const context = { profile, computation: audience };
  const call = trackCall(along, context);
  expect(call.body).toBe(
    '{"version":1,"type":"track","userId":"u1","event":"Audience Entered","properties":{"plan":"pro","__proto__":{"a":1},' +
      '"audience_key":"big_spenders","audience_name":"Big spenders","audience_id":"aud_1"},"timestamp":"2026-01-31T01:02:03.004Z",' +
      '"context":{"personas":{"computation_class":"audience","computation_id":"aud_1","computation_key":"big_spenders",' +
      '"namespace":"default","space_id":"spa_default"}},"integrations":{"All":false,"Webhooks":true},' +
      `"messageId":"${trackMessageIdOf(along, context)}","receivedAt":"2026-01-31T01:02:03.004Z"}`,
  );
  expect(call).toMatchObject({ type: "track", event: "Audience Entered", userId: "u1", timestampMs: AT_MS });
  expect(trackCall({ ...along, text: "false" }, context)).toMatchObject({ event: "Audience Exited" });
});

test("contract 8.8: traits go along with the membership, which no trait replaces", () => {
  const along = { ...FLIP, traits: '{"plan":"pro","big_spenders":"x"}' };
  const { body } = traitsCall(along, { profile, computation: audience });
  expect(JSON.parse(body)).toMatchObject({ traits: { plan: "pro", big_spenders: true } });
});

test("a call has room for the deepest value that a computed trait keeps", () => {
  const text = "[".repeat(62) + "]".repeat(62);
  const { body } = traitsCall({ ...FLIP, text }, { profile, computation: audience });
  expect(JSON.parse(body).traits).toEqual({ big_spenders: JSON.parse(text) });
});
