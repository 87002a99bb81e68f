// Properties compared with traits: judged by what the trait is now.
import { expect, test } from "@jest/globals";
import { parseCallFilter } from "../definition/call-filter.ts";
import { parseAudience } from "../definition/parse-audience.ts";
import { audience, callOf, NOW_MS } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import { compileSet } from "./computation-set.ts";
import { createProfile, type Profile } from "./profile.ts";
import { profileFromRecord, profileToRecord } from "./record.ts";

const OVER_BUDGET = {
  event: "Order",
  where: [{ path: "properties.total", op: "gt", value: { trait: "limits.order" } }],
};

const setOf = (definition: unknown) => compileSet([audience("a", definition)]);

let offset = 0;

function apply(profile: Profile, definition: unknown, call: { name?: string; body: object }): void {
  offset += 1;
  const { body, name = null } = call;
  const nowMs = NOW_MS + offset;
  const type = name === null ? "identify" : "track";
  const made = callOf({ messageId: `m${offset}`, type, name, body: { ...body }, atMs: nowMs });
  applyEvent(profile, { kind: "call", call: made }, setOf(definition), { offset, nowMs });
}

const order = (total: number) => ({ name: "Order", body: { properties: { total } } });
const budget = (limit: unknown) => ({ body: { traits: { limits: { order: limit } } } });
const isMember = (profile: Profile) => profile.results.get("a")?.text === "true";

test("a call of before counts, or counts no more, when the trait changes", () => {
  const profile = createProfile("u", 0);
  const seen = [order(60), budget(50), budget(60), budget("a"), budget(10), budget(null)].map((call) => {
    apply(profile, OVER_BUDGET, call);
    return isMember(profile);
  });
  expect(seen).toEqual([false, true, false, false, true, false]);
});

test("of many calls the newest hundred are kept, also when a profile is read again", () => {
  const profile = createProfile("u", 0);
  apply(profile, OVER_BUDGET, budget(50));
  apply(profile, OVER_BUDGET, order(60));
  for (let count = 0; count < 99; count += 1) apply(profile, OVER_BUDGET, order(1));
  expect(isMember(profile)).toBe(true);
  const again = profileFromRecord("u", profileToRecord(profile));
  expect([...again.leaves.values()]).toEqual([...profile.leaves.values()]);
  expect(again.sizeBytes).toBe(profile.sizeBytes);
  apply(again, OVER_BUDGET, order(1));
  expect([isMember(again), [...again.leaves.values()][0]]).toEqual([
    false,
    expect.objectContaining({ isOverflowing: true }),
  ]);
});

test("traits are compared with each other", () => {
  const profile = createProfile("u", 0);
  const definition = { trait: "home", op: "neq", value: { trait: "work" }, ignoreCase: true };
  const seen = [{ home: "Oslo" }, { work: "OSLO" }, { work: "Bergen" }].map((traits) => {
    apply(profile, definition, { body: { traits } });
    return isMember(profile);
  });
  expect(seen).toEqual([false, false, true]);
});

test.each([
  [{ trait: "a", op: "in", value: { trait: "b" } }, "definition.op", "beside a trait"],
  [{ trait: "a", op: "eq", value: { trait: "" } }, "definition.value.trait", "must be a path"],
  [{ trait: "a", op: "eq", value: { trait: "b", x: 1 } }, "definition.value.x", "is not known here"],
  [{ trait: "a", op: "lt", value: { trait: "b" }, ignoreCase: true }, "definition.ignoreCase", "left out"],
  [{ trait: "a", op: "eq", value: { trait: "b" }, ignoreCase: "true" }, "definition.ignoreCase", "left out"],
  [{ ...OVER_BUDGET, count: { op: "gte", value: 100 } }, "definition.count.value", "or a trait"],
])("%j is refused at %s", (definition, path, message) => {
  const reading = parseAudience(definition, { audiences: new Map() });
  expect(reading.ok ? [] : reading.problems).toEqual([{ path, message: expect.stringContaining(message) }]);
});

test("a filter knows no traits", () => {
  const reading = parseCallFilter({ path: "properties.total", op: "gt", value: { trait: "budget" } });
  expect(reading.ok ? [] : reading.problems).toEqual([
    { path: "filter.value", message: expect.stringContaining("a filter sees the call alone") },
  ]);
});
