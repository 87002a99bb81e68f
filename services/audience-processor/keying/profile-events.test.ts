import { expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import { type Call, callKey } from "#topics";
import { callOf } from "../fixtures/calls.ts";
import { isOwn } from "./key-calls.ts";
import { profileEventsOf } from "./profile-events.ts";

const shown = (call: Call) =>
  profileEventsOf(call).map(({ event, profileId }) => [profileId, event.releaseTo ?? event.kind]);

test("a call belongs to its user, or to its anonymous profile; with both ids the one is merged into the other", () => {
  expect(shown(callOf({ userId: "u" }))).toEqual([["u", "call"]]);
  expect(shown(callOf({ anonymousId: "x" }))).toEqual([["anon:x", "call"]]);
  expect(shown(callOf({ userId: "u", anonymousId: "x" }))).toEqual([
    ["anon:x", "u"],
    ["u", "call"],
  ]);
});

test("an alias merges its previous id, be it of a user or anonymous, and not a user into himself", () => {
  const alias = callOf({ type: "alias", userId: "u", body: { previousId: "v" } });
  expect(shown(alias)).toEqual([
    ["v", "u"],
    ["anon:v", "u"],
    ["u", "call"],
  ]);
  expect(shown(callOf({ type: "alias", userId: "u", body: { previousId: "u" } }))).toEqual([
    ["anon:u", "u"],
    ["u", "call"],
  ]);
});

test("where there are accounts, a call counts for the one that it names, too: in its context, a group call by itself", () => {
  const accounts = (call: Call, hasAccounts = true) =>
    profileEventsOf(call, hasAccounts)
      .slice(1)
      .map(({ event, profileId }) => [profileId, event.kind, event.call?.body.toString()]);
  const track = callOf({ userId: "u", event: "A", body: { context: { groupId: "acme" } } });
  expect(accounts(track)).toEqual([["group:acme", "call", track.body.toString()]]);
  expect(accounts(track, false)).toEqual([]);
  const group = callOf({ userId: "u", type: "group", body: { groupId: "acme", traits: { plan: "pro" } } });
  expect(accounts(group)).toEqual([["group:acme", "call", group.body.toString()]]);
  const groupIdsOf = (call: Call, hasAccounts: boolean) =>
    profileEventsOf(call, hasAccounts).map(({ event }) => event.call?.groupId);
  expect([groupIdsOf(group, true), groupIdsOf(group, false)]).toEqual([["acme", "acme"], [null]]);
  const identify = callOf({ userId: "u", type: "identify", body: { context: { groupId: "acme" } } });
  expect(accounts(identify)).toEqual([["group:acme", "call", "{}"]]);
  const none = [
    { groupId: "acme" },
    { context: { groupId: "" } },
    { context: { groupId: 5 } },
    // In Kafka all that differ only in half of a surrogate pair would be one account.
    { context: { groupId: "acme-\ud83d" } },
    { context: null },
  ];
  for (const body of none) expect(accounts(callOf({ userId: "u", event: "A", body }))).toEqual([]);
  expect(accounts(callOf({ type: "group", body: { groupId: "acme" } }))).toEqual([]);
});

test("own output and deletions are nothing to profiles", () => {
  const own = callOf({ userId: "u", sourceId: SPACE_SOURCE });
  expect(shown(own)).toEqual([]);
  expect(isOwn({ key: callKey(SPACE_SOURCE, own) })).toBe(true);
  expect([null, "", "u", callKey("src_1", own)].map((key) => isOwn({ key }))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(shown(callOf({ userId: "u", type: "delete" }))).toEqual([]);
});

test("the name of a page comes from its body, that of a track is known; of a group only that it was is kept", () => {
  const nameOf = (call: Call) => profileEventsOf(call).at(-1)?.event.call?.name;
  expect(nameOf(callOf({ userId: "u", type: "page", body: { name: "Home" } }))).toBe("Home");
  expect(nameOf(callOf({ userId: "u", type: "screen", body: {} }))).toBeNull();
  expect(nameOf(callOf({ userId: "u", event: "A" }))).toBe("A");
  const group = callOf({ userId: "u", type: "group", body: { traits: { plan: "pro" } } });
  expect(profileEventsOf(group).at(-1)?.event.call?.body.toString()).toBe("{}");
});
