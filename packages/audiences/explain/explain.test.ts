import { expect, test } from "@jest/globals";
import { audience, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "../profile/apply.ts";
import { compileSet } from "../profile/computation-set.ts";
import { createProfile } from "../profile/profile.ts";
import { explainMembership } from "./explain.ts";

const DAY_MS = 86_400_000;

const LIST = audience("lst", { everyone: true }, { key: "listed", definition: { kind: "list" } });

function compiled(
  definition: unknown,
  calls: readonly { type: string; name: string; body: object; agoMs: number }[],
) {
  const set = compileSet([LIST, audience("aud", definition)]);
  const profile = createProfile("u", 0);
  for (const [index, { agoMs, body, name, type }] of calls.entries()) {
    const made = { type, name, timestampMs: NOW_MS - agoMs, body: { ...body } };
    const call = callOf({ messageId: `m${index}`, ...made });
    applyEvent(profile, { kind: "call", call }, set, { offset: index, nowMs: NOW_MS });
  }
  const computation = set.computations.get("aud");
  if (computation === undefined) throw new Error("not compiled");
  return { computation, profile };
}

function setup(...asked: Parameters<typeof compiled>) {
  const { computation, profile } = compiled(...asked);
  return (nowMs: number) => explainMembership(computation, { profile, nowMs, pause: () => undefined });
}

test("each leaf with its path, value and end; the membership's end is that of what decides it", async () => {
  const explain = setup(
    {
      all: [
        { event: "Order", within: "30d", count: { op: "gte", value: 2 } },
        { not: { event: "Cancelled", within: "365d" } },
        { any: [{ trait: "plan", op: "eq", value: "pro" }, { audience: "listed" }] },
      ],
    },
    [
      { type: "track", name: "Order", body: {}, agoMs: 20 * DAY_MS },
      { type: "track", name: "Order", body: {}, agoMs: 10 * DAY_MS },
      { type: "identify", name: "", body: { traits: { plan: "pro" } }, agoMs: 0 },
    ],
  );
  expect(await explain(NOW_MS)).toEqual({
    isMember: true,
    sinceMs: NOW_MS,
    untilMs: NOW_MS + 10 * DAY_MS,
    leaves: [
      { path: "definition.all[0]", holds: true, value: 2, untilMs: NOW_MS + 10 * DAY_MS },
      { path: "definition.all[1].not", holds: false, value: 0 },
      { path: "definition.all[2].any[0]", holds: true, value: "pro" },
      { path: "definition.all[2].any[1]", holds: false, value: false },
    ],
  });
});

test("who is not in learns why: the value that each leaf has come to", async () => {
  const explain = setup(
    {
      all: [
        { event: "Order", count: { op: "gte", value: 2 } },
        { trait: "address.city", op: "eq", value: "Oslo" },
      ],
    },
    [
      { type: "track", name: "Order", body: {}, agoMs: 0 },
      { type: "identify", name: "", body: { traits: { address: { city: "Bergen" } } }, agoMs: 0 },
    ],
  );
  expect(await explain(NOW_MS)).toEqual({
    isMember: false,
    leaves: [
      { path: "definition.all[0]", holds: false, value: 1 },
      { path: "definition.all[1]", holds: false, value: "Bergen" },
    ],
  });
});

test("buckets that leave without changing the answer are looked beyond", async () => {
  const order = (agoDays: number) => ({ type: "track", name: "Order", body: {}, agoMs: agoDays * DAY_MS });
  const many = Array.from({ length: 60 }, (_, index) => order((index % 6) * 4));
  const explain = setup({ event: "Order", within: "30d", count: { op: "gte", value: 51 } }, many);
  // Ten orders on each of six days: the oldest ten leave after 10 days, and then there are 50.
  expect(await explain(NOW_MS)).toMatchObject({ isMember: true, untilMs: NOW_MS + 10 * DAY_MS });
});

test("a condition that is newer than the profile's calls is explained by what the profile knows of them", async () => {
  const before = compileSet([LIST]);
  const profile = createProfile("u", 0);
  const ids = { sourceId: "s", messageId: "m", userId: "u", anonymousId: null };
  const call = {
    ...ids,
    type: "track",
    name: "Order",
    timestampMs: NOW_MS,
    receivedAtMs: NOW_MS,
    body: {},
  };
  applyEvent(profile, { kind: "call", call }, before, { offset: 0, nowMs: NOW_MS });
  const set = compileSet([audience("aud", { event: "Order" })]);
  const computation = set.computations.get("aud");
  if (computation === undefined) throw new Error("not compiled");
  expect(
    await explainMembership(computation, { profile, nowMs: NOW_MS, pause: () => undefined }),
  ).toMatchObject({
    leaves: [{ holds: true, value: 1 }],
  });
});

test("a profile that had no room for something is said to be incomplete", async () => {
  const { computation, profile } = compiled({ event: "Order" }, []);
  profile.incompleteFor = new Set(["aud"]);
  const asked = { profile, nowMs: NOW_MS, pause: () => undefined };
  expect(await explainMembership(computation, asked)).toMatchObject({ isIncomplete: true });
  profile.incompleteFor = new Set(["other"]);
  expect(await explainMembership(computation, asked)).not.toHaveProperty("isIncomplete");
});

test("a pause is offered before each moment that is looked at, and before each leaf", async () => {
  const calls = Array.from({ length: 5 }, (_, index) => ({
    type: "track",
    name: "Order",
    body: {},
    agoMs: index * DAY_MS,
  }));
  const { computation, profile } = compiled(
    { event: "Order", count: { op: "gte", value: 2 }, within: "30d" },
    calls,
  );
  let pauses = 0;
  const pause = () => {
    pauses += 1;
    return undefined;
  };
  await explainMembership(computation, { profile, nowMs: NOW_MS, pause });
  expect(pauses).toBe(3);
});

test("what calls come to is the value of a condition that compares it, and ends with the calls", async () => {
  const order = (total: number, agoDays: number) => {
    return { type: "track", name: "Order", body: { properties: { total } }, agoMs: agoDays * DAY_MS };
  };
  const explain = setup(
    {
      event: "Order",
      within: "30d",
      reduce: { fn: "sum", path: "properties.total" },
      op: "gt",
      value: 100,
    },
    [order(60, 20), order(41, 10)],
  );
  const leaf = { path: "definition", holds: true, value: 101, untilMs: NOW_MS + 10 * DAY_MS };
  expect(await explain(NOW_MS)).toMatchObject({ isMember: true, leaves: [leaf] });
});
