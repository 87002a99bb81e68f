import { expect, test } from "@jest/globals";
import { callOf, NOW_MS, trait as traitOf } from "../fixtures/definitions.ts";
import { applyEvent } from "../profile/apply.ts";
import { compileSet } from "../profile/computation-set.ts";
import { createProfile } from "../profile/profile.ts";
import { explainValue } from "./explain.ts";

const DAY_MS = 86_400_000;

/** Orders of 5 twenty days ago, of 7 ten days ago, and one without a total. */
function explained(definition: object, laterMs = 0) {
  const set = compileSet([traitOf("t", { event: "Order", ...definition })]);
  const profile = createProfile("u", 0);
  for (const [index, [agoMs, total]] of [[20 * DAY_MS, 5], [10 * DAY_MS, 7], [0]].entries()) {
    const timestampMs = NOW_MS - (agoMs ?? 0);
    const body = { properties: { total } };
    const call = callOf({ messageId: `m${index}`, name: "Order", timestampMs, body });
    applyEvent(profile, { kind: "call", call }, set, { offset: index, nowMs: NOW_MS });
  }
  const trait = set.computations.get("t");
  if (trait === undefined) throw new Error("not compiled");
  return explainValue(trait, { profile, nowMs: NOW_MS + laterMs, pause: () => undefined });
}

const path = "properties.total";
const [FIRST, SECOND] = [NOW_MS - 20 * DAY_MS, NOW_MS - 10 * DAY_MS];

test.each([
  ["all of them", { reduce: { fn: "count" } }, { value: 3, calls: 3, firstMs: FIRST, lastMs: NOW_MS }],
  [
    "those with a number",
    { reduce: { fn: "sum", path } },
    { value: 12, calls: 2, firstMs: FIRST, lastMs: SECOND },
  ],
  ["the values, which are kept once", { reduce: { fn: "unique", path } }, { value: [5, 7], lastMs: SECOND }],
  ["none", { where: [{ path, op: "gt", value: 9 }], reduce: { fn: "count" } }, { value: 0, calls: 0 }],
])("a value is made of %s", async (_what, definition, expected) => {
  expect(await explained(definition)).toEqual(expected);
});

test("those of a window are fewer, and the value changes when the next one leaves it", async () => {
  const found = await explained({ within: "15d", reduce: { fn: "sum", path } });
  expect(found).toMatchObject({ value: 7, calls: 1, firstMs: SECOND, lastMs: SECOND });
  expect(found.untilMs).toBeGreaterThan(NOW_MS + 4 * DAY_MS);
});

test("a call that has left the window since it was counted is not among them", async () => {
  const definition = { within: "15d", reduce: { fn: "count" } };
  expect(await explained(definition)).toMatchObject({ value: 2, calls: 2, firstMs: SECOND });
  expect(await explained(definition, 6 * DAY_MS)).toMatchObject({ value: 1, calls: 1, firstMs: NOW_MS });
});
