// Audiences from a call to its identify, on real Kafka.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type TestStack, useStack } from "#support/stack";
import { until } from "#support/until";
import { audienceOf, callOf } from "./fixtures/calls.ts";
import { Stage } from "./fixtures/stage.ts";

const WAIT = { timeoutMs: 30_000 };

let stack: TestStack;
let stage: Stage;

beforeAll(async () => {
  stack = await useStack();
}, 300_000);
beforeEach(async () => {
  stage = await Stage.open(stack);
}, 180_000);
afterEach(async () => {
  await stage.close();
}, 180_000);

/** A clock that stands ahead of the machine's, as far as it was moved. */
function movedClock() {
  let aheadMs = 0;
  return {
    nowMs: () => Date.now() + aheadMs,
    move(byMs: number) {
      aheadMs += byMs;
    },
  };
}

const DAY_MS = 86_400_000;

const track = (userId: string, event: string) => callOf({ userId, event });

describe("an anonymous id that nobody uses", () => {
  test("leaves its audiences after 13 months, and comes in again by its next call", async () => {
    const clock = movedClock();
    const visit = () => callOf({ anonymousId: "x", event: "A" });
    await stage.configure({ ...audienceOf("ever", { event: "A" }), includeAnonymous: true });
    const { service } = stage.start(clock);
    await service.ready;
    await stage.send(visit());
    await until(() => stage.sent.length > 0, { ...WAIT, what: "the entry" });
    clock.move(396 * DAY_MS);
    // A pass that began before the visit was committed keeps the profile, and the next one comes a day later.
    const days = setInterval(() => clock.move(DAY_MS), 5_000);
    await until(() => stage.sent.length > 1, { ...WAIT, what: "the exit" }).finally(() =>
      clearInterval(days),
    );
    await stage.send(visit());
    await until(() => stage.sent.length > 2, { ...WAIT, what: "the next entry" });
    expect(stage.valuesOf("anonymous x", "ever")).toEqual([true, false, true]);
    expect(await service.stop()).toBe(0);
  }, 180_000);
});

describe("membership in a window", () => {
  test("begins with a call, and ends when the window has passed", async () => {
    const clock = movedClock();
    await stage.configure(audienceOf("recent", { event: "Order Completed", within: "60s" }));
    const { service } = stage.start(clock);
    await service.ready;
    await until(() => stage.isLive("recent"), { ...WAIT, what: "the first sync" });
    await stage.send(track("u1", "Order Completed"), track("u2", "Other"));
    await until(() => stage.sent.length > 0, { ...WAIT, what: "the entry" });
    expect(stage.valuesOf("u1", "recent")).toEqual([true]);
    clock.move(61_000);
    await until(() => stage.sent.length > 1, { ...WAIT, what: "the exit" });
    expect(stage.valuesOf("u1", "recent")).toEqual([true, false]);
    expect(stage.sent).toHaveLength(2);
    expect(await service.stop()).toBe(0);
  }, 180_000);

  test("of who was away past the deadline goes on, when a call that prolongs it was waiting", async () => {
    const clock = movedClock();
    const dataDir = stage.newDataDir();
    await stage.configure(audienceOf("recent", { event: "A", within: "60s" }));
    const first = stage.start({ ...clock, dataDir });
    await first.service.ready;
    await stage.send(track("u1", "A"));
    await until(() => stage.sent.length > 0, { ...WAIT, what: "the entry" });
    await first.service.stop();
    const later = Date.now() + 50_000;
    await stage.send(callOf({ userId: "u1", event: "A", receivedAtMs: later, timestampMs: later }));
    clock.move(70_000);
    const second = stage.start({ ...clock, dataDir });
    await second.service.ready;
    await stage.send(callOf({ userId: "u2", event: "A", receivedAtMs: clock.nowMs() }));
    await until(() => stage.valuesOf("u2", "recent").length > 0, { ...WAIT, what: "another's entry" });
    expect(stage.valuesOf("u1", "recent")).toEqual([true]);
    clock.move(60_000);
    await until(() => stage.valuesOf("u1", "recent").length > 1, { ...WAIT, what: "the exit" });
    expect(stage.valuesOf("u1", "recent")).toEqual([true, false]);
  }, 180_000);
});

describe("a new audience", () => {
  test("counts what the log has of its window, as if it had been there; copies count once", async () => {
    const { service } = stage.start();
    await service.ready;
    const users = Array.from({ length: 20 }, (_, index) => `u${index}`);
    const calls = users.flatMap((user, index) =>
      Array.from({ length: (index % 3) + 1 }, () => track(user, "Order Completed")),
    );
    const copy = track("copied", "Order Completed");
    await stage.send(callOf({ anonymousId: "x", event: "Order Completed" }), ...calls, copy);
    await stage.send(callOf({ anonymousId: "x", userId: "merged", event: "Order Completed" }), copy);
    const first = { event: "Order Completed", within: "30d" };
    await stage.configure(audienceOf("once", first));
    await until(() => stage.isLive("once"), { ...WAIT, what: "an audience that needs no log" });
    const twice = { ...first, count: { op: "gte", value: 2 } };
    await stage.configure(audienceOf("twice", twice, { createdAtMs: Date.now() }));
    await until(() => stage.isLive("twice"), { ...WAIT, what: "the first sync" });
    const members = [...users.filter((_, index) => index % 3 > 0), "merged"];
    await until(() => members.every((user) => stage.valuesOf(user, "twice").length > 0), {
      ...WAIT,
      what: "all members",
    });
    expect(
      stage
        .progressOf("twice")
        .every(({ coverageFromMs, isPartial }) => coverageFromMs === null && !isPartial),
    ).toBe(true);
    await stage.send(copy, track("u0", "Order Completed"));
    await until(() => stage.valuesOf("u0", "twice").length > 0, { ...WAIT, what: "a live entry" });
    const sent = stage.sent.filter(({ key }) => key === "twice").map(({ user, value }) => `${user} ${value}`);
    expect(sent.sort()).toEqual([...members, "u0"].map((user) => `${user} true`).sort());
  }, 180_000);

  test("reports the members that there are, once each; an edit of the differences", async () => {
    const { service } = stage.start();
    await service.ready;
    await stage.configure(audienceOf("seen", { event: "A" }));
    const users = Array.from({ length: 30 }, (_, index) => `u${index}`);
    await stage.send(...users.map((user, index) => track(user, index < 20 ? "A" : "B")));
    await until(() => stage.sent.length >= 20, { ...WAIT, what: "members by their calls" });
    const ordered = { event: "A", count: { op: "gte", value: 1 } };
    await stage.configure(audienceOf("later", { any: [ordered, { event: "B", within: "30d" }] }));
    await until(() => stage.isLive("later"), { ...WAIT, what: "the first sync" });
    await until(() => stage.sent.length >= 50, { ...WAIT, what: "all members" });
    for (const user of users) expect(stage.valuesOf(user, "later")).toEqual([true]);
    await stage.configure(audienceOf("later", ordered, { generation: 2, updatedAtMs: 2 }));
    await until(() => stage.isLive("later", 2), { ...WAIT, what: "the edit" });
    await until(() => stage.sent.length >= 60, { ...WAIT, what: "those who left" });
    expect(stage.sent).toHaveLength(60);
    expect(stage.valuesOf("u25", "later")).toEqual([true, false]);
    expect(stage.valuesOf("u5", "later")).toEqual([true]);
    await until(() => stage.progressOf("later").reduce((sum, { members }) => sum + members, 0) === 20, {
      ...WAIT,
      what: "the count of members",
    });
    await until(() => stage.countedOf("later").left === 10, { ...WAIT, what: "the counts of the hour" });
    expect(stage.countedOf("later")).toEqual({ entered: 30, left: 10, members: 20 });
    expect(stage.countedOf("seen")).toEqual({ entered: 20, left: 0, members: 20 });
  }, 180_000);

  test("that is edited to look back further sends the differences, once it has", async () => {
    const { service } = stage.start();
    await service.ready;
    const users = Array.from({ length: 12 }, (_, index) => `u${index}`);
    await stage.send(
      ...users.flatMap((user, index) => [track(user, "A"), track(user, index < 4 ? "A" : "B")]),
    );
    const often = { event: "A", within: "30d" };
    await stage.configure(audienceOf("often", often));
    await until(() => stage.isLive("often"), { ...WAIT, what: "the first sync" });
    await until(() => stage.sent.length === 12, { ...WAIT, what: "the members" });
    const twice = { ...often, count: { op: "gte", value: 2 } };
    const earlier = [{ definition: JSON.stringify(often), generation: 1 }];
    await stage.configure(audienceOf("often", twice, { generation: 2, earlier, updatedAtMs: 2 }));
    await until(() => stage.isLive("often", 2), { ...WAIT, what: "the edit" });
    await until(() => stage.sent.length === 20, { ...WAIT, what: "those who left" });
    for (const [index, user] of users.entries())
      expect(stage.valuesOf(user, "often")).toEqual(index < 4 ? [true] : [true, false]);
  }, 180_000);

  test("that is deleted sends false to its members where that is asked for, and nothing otherwise", async () => {
    const { service } = stage.start();
    await service.ready;
    await stage.configure(audienceOf("a", { event: "A" }));
    await stage.configure(audienceOf("b", { event: "A" }));
    await stage.send(track("u1", "A"));
    await until(() => stage.sent.length === 2 && stage.isLive("a") && stage.isLive("b"), {
      ...WAIT,
      what: "the entries",
    });
    const deleted = { deletedAtMs: 2, updatedAtMs: 2 };
    await stage.configure(audienceOf("a", { event: "A" }, deleted));
    await stage.configure(audienceOf("b", { event: "A" }, { ...deleted, isExitAll: true }));
    const isGone = (id: string) => stage.progressOf(id).every(({ state }) => state === "deleted");
    await until(() => isGone("a") && isGone("b"), { ...WAIT, what: "the deletions" });
    await until(() => stage.sent.length === 3, { ...WAIT, what: "the exit" });
    expect(stage.valuesOf("u1", "a")).toEqual([true]);
    expect(stage.valuesOf("u1", "b")).toEqual([true, false]);
    const forgotten = { ...deleted, kind: "list", updatedAtMs: 3, isForgotten: true };
    await stage.configure(audienceOf("b", null, forgotten));
    await until(() => stage.progressOf("b").length === 0, { ...WAIT, what: "the end of its progress" });
    await service.stop();
    // The next owner looks for nothing of it, and begins with the other one.
    await stage.start().service.ready;
    await stage.configure(audienceOf("c", { event: "A" }));
    await until(() => stage.isLive("c"), { ...WAIT, what: "another audience" });
    expect([stage.progressOf("a").length, stage.progressOf("b").length]).toEqual([3, 0]);
    expect(stage.sent.filter(({ key }) => key !== "c")).toHaveLength(3);
  }, 180_000);
});

test("an anonymous profile is the user's after a call with both ids: its calls count, later ones too", async () => {
  const { service } = stage.start();
  await service.ready;
  await stage.configure(audienceOf("thrice", { event: "A", count: { op: "gte", value: 3 }, within: "1d" }));
  await until(() => stage.isLive("thrice"), { ...WAIT, what: "the first sync" });
  await stage.send(callOf({ anonymousId: "x", event: "A" }));
  await stage.send(callOf({ anonymousId: "x", userId: "u1", event: "A" }));
  await stage.send(callOf({ anonymousId: "x", event: "A" }));
  await until(() => stage.sent.length > 0, { ...WAIT, what: "the entry" });
  expect(stage.sent).toMatchObject([{ user: "u1", key: "thrice", value: true }]);
}, 180_000);

test("a device that two users share is the other one's once a deletion has ended its first link, by the next call that names both", async () => {
  const { service } = stage.start();
  await service.ready;
  await stage.configure(audienceOf("bought", { event: "A" }));
  await until(() => stage.isLive("bought"), { ...WAIT, what: "the first sync" });
  const both = (userId: string, event: string) => callOf({ anonymousId: "x", userId, event });
  await stage.send(both("u1", "A"));
  await until(() => stage.sent.length === 1, { ...WAIT, what: "the first link" });
  const before = await stage.eventsWritten();
  await stage.send(both("u2", "B"));
  // Its call, the release, and the release passed on to who has the device.
  await until(async () => (await stage.eventsWritten()) === before + 3, { ...WAIT, what: "the second link" });
  await stage.deleteUser("u1");
  const namedAgain = async (): Promise<boolean> => {
    await stage.send(both("u2", "B"), callOf({ anonymousId: "x", event: "A" }));
    return stage.valuesOf("u2", "bought").length > 0;
  };
  await until(namedAgain, { ...WAIT, what: "the device's calls to count" });
  expect(stage.sent.map(({ user }) => user)).toEqual(["u1", "u2"]);
}, 180_000);

test("lists and deletions that control writes", async () => {
  const { service } = stage.start();
  await service.ready;
  await stage.configure(audienceOf("vips", null, { kind: "list" }));
  await until(() => stage.isLive("vips"), { ...WAIT, what: "the list" });
  await stage.happen("u1", "list", { listId: "vips", isMember: true });
  await stage.happen("u2", "list", { listId: "vips", isMember: true });
  await until(() => stage.sent.length === 2, { ...WAIT, what: "the entries" });
  await stage.happen("u1", "delete", { deletedAtMs: Date.now() });
  await stage.happen("u2", "list", { listId: "vips", isMember: false });
  await until(() => stage.sent.length === 3, { ...WAIT, what: "the exit" });
  expect(stage.valuesOf("u2", "vips")).toEqual([true, false]);
  expect(stage.valuesOf("u1", "vips")).toEqual([true]);
}, 180_000);

test("a user who was suppressed and deleted does not come back: not by a device, a call that a late ingest takes, a list or a new audience; afterwards anew", async () => {
  const { service } = stage.start();
  await service.ready;
  await stage.configure(audienceOf("bought", { event: "A" }));
  await stage.configure(audienceOf("vips", null, { kind: "list" }));
  await until(() => stage.isLive("bought") && stage.isLive("vips"), { ...WAIT, what: "the first sync" });
  await stage.send(callOf({ anonymousId: "x", userId: "u1", event: "A" }));
  await until(() => stage.sent.length === 1, { ...WAIT, what: "the entry" });
  await stage.happen("u1", "suppress", { isSuppressed: true });
  await stage.happen("u1", "delete", { deletedAtMs: Date.now() });
  await stage.send(
    callOf({ anonymousId: "x", event: "A" }),
    callOf({ anonymousId: "x", userId: "u1", event: "A" }),
  );
  await stage.send(callOf({ anonymousId: "x", event: "A" }), track("u1", "A"), track("u2", "A"));
  await stage.happen("u1", "list", { listId: "vips", isMember: true, listedAtMs: Date.now() });
  await stage.happen("u2", "list", { listId: "vips", isMember: true, listedAtMs: Date.now() });
  await until(() => stage.sent.length >= 3, { ...WAIT, what: "the entries of the other user" });
  const twice = { event: "A", count: { op: "gte", value: 2 }, within: "1d" };
  await stage.configure(audienceOf("again", { any: [twice, { event: "A" }] }));
  await until(() => stage.isLive("again"), { ...WAIT, what: "the new audience" });
  await until(() => stage.valuesOf("u2", "again").length > 0, { ...WAIT, what: "its members" });
  expect(stage.sent.filter(({ user }) => user === "u1")).toMatchObject([{ key: "bought", value: true }]);
  await stage.happen("u1", "suppress", { isSuppressed: false });
  await stage.send(callOf({ anonymousId: "x", userId: "u1", event: "B" }));
  await stage.send(callOf({ anonymousId: "x", event: "A" }));
  await until(() => stage.valuesOf("u1", "bought").length === 2, { ...WAIT, what: "the user to begin anew" });
}, 180_000);

test("of a user who is suppressed and not deleted nothing is sent, and the difference once that is over", async () => {
  const { service } = stage.start();
  await service.ready;
  await stage.configure(audienceOf("bought", { event: "A" }));
  await stage.configure(audienceOf("returned", { all: [{ event: "A" }, { not: { event: "B" } }] }));
  await until(() => stage.isLive("bought") && stage.isLive("returned"), { ...WAIT, what: "the first sync" });
  await stage.send(callOf({ anonymousId: "x", userId: "u1", event: "C" }));
  await stage.happen("u1", "suppress", { isSuppressed: true, suppressedIn: "src" });
  await stage.send(
    callOf({ anonymousId: "x", event: "A" }),
    callOf({ anonymousId: "x", event: "A", sourceId: "other" }),
  );
  await until(() => stage.sent.length === 2, { ...WAIT, what: "the call of the other source" });
  await stage.happen("u1", "suppress", { isSuppressed: true });
  await stage.configure(audienceOf("everybody", { not: { event: "D" }, everyone: true }));
  await stage.send(callOf({ anonymousId: "x", event: "B" }), track("u2", "A"));
  await until(() => stage.valuesOf("u2", "everybody").length > 0, { ...WAIT, what: "the other user" });
  expect(stage.sent.filter(({ user }) => user === "u1")).toHaveLength(2);
  await stage.happen("u1", "suppress", { isSuppressed: false });
  await until(() => stage.valuesOf("u1", "everybody").length > 0, { ...WAIT, what: "what was missed" });
  expect(stage.valuesOf("u1", "returned")).toEqual([true]);
}, 180_000);
