// A computed trait as a condition of audiences.
import { expect, test } from "@jest/globals";
import { parseAudience } from "../definition/parse-audience.ts";
import { explainMembership } from "../explain/explain.ts";
import { audience, callOf, NOW_MS, trait } from "../fixtures/definitions.ts";
import { applyEvent } from "./apply.ts";
import type { ComputationInput } from "./computation.ts";
import { type CoverageOf, compileSet } from "./computation-set.ts";
import { leafKeysOf } from "./leaf-keys.ts";
import { createProfile } from "./profile.ts";
import { chooseVersions } from "./versions.ts";

const NAMED = new Map<string, { references: readonly string[]; fn?: "sum" | "count" }>([
  ["spent", { references: [], fn: "sum" }],
  ["orders", { references: [], fn: "count" }],
  ["buyers", { references: [] }],
]);

function spent(state: ComputationInput["state"] = "live"): ComputationInput {
  const reduce = { fn: "sum", path: "properties.total" };
  return trait("trt", { event: "Order", within: "30d", reduce }, { key: "spent", state });
}

const bigSpenders = (definition: unknown = { computedTrait: "spent", op: "gt", value: 100 }) =>
  audience("aud", definition, { key: "big_spenders", includeAnonymous: true });

/** What is sent of a profile that has ordered for 60 and 41. */
function sentOf(id: string, inputs: readonly ComputationInput[]) {
  const set = compileSet(inputs);
  const profile = createProfile(id, 0);
  for (const [offset, total] of [60, 41].entries()) {
    const call = callOf({ messageId: `m${offset}`, name: "Order", body: { properties: { total } } });
    applyEvent(profile, { kind: "call", call }, set, { offset: offset + 1, nowMs: NOW_MS });
  }
  return { set, profile, sent: profile.outbox.map(({ computationId, text }) => `${computationId} ${text}`) };
}

test("it has the value that is sent, in whatever order both are compiled", () => {
  for (const inputs of [
    [spent(), bigSpenders()],
    [bigSpenders(), spent()],
  ])
    expect(sentOf("u", inputs).sent.toSorted()).toEqual(["aud true", "trt 101", "trt 60"]);
});

test("it has its value while it is paused, and of an anonymous profile", () => {
  expect(sentOf("u", [spent("paused"), bigSpenders()]).sent).toEqual(["aud true"]);
  expect(sentOf("anon:x", [spent(), bigSpenders()]).sent).toEqual(["aud true"]);
});

test("its value is explained, and its leaf is one of the audience's", async () => {
  const { profile, set } = sentOf("u", [spent(), bigSpenders()]);
  const audience = set.computations.get("aud");
  if (audience === undefined) throw new Error("not compiled");
  const untilMs = NOW_MS + 30 * 86_400_000;
  const { leaves } = await explainMembership(audience, { profile, nowMs: NOW_MS, pause: () => undefined });
  expect(leaves).toEqual([{ path: "definition", holds: true, value: 101, untilMs }]);
  expect([...leafKeysOf([audience])]).toEqual([...set.leaves.keys()]);
});

test("an audience waits for what the computed trait it names has to look back on", () => {
  const never: CoverageOf = () => ({ fromOffset: 0, isReady: false });
  const set = compileSet([spent(), bigSpenders()], never);
  expect([...set.computations.values()].map(({ state }) => state)).toEqual(["preparing", "preparing"]);
  expect(chooseVersions([[spent()], [bigSpenders()]], never).map(({ id }) => id)).toEqual(["trt", "aud"]);
});

test.each([
  [
    { computedTrait: "spend", op: "gt", value: 1 },
    "definition.computedTrait",
    "no computed trait with the key",
  ],
  [
    { computedTrait: "buyers", op: "gt", value: 1 },
    "definition.computedTrait",
    'write {"audience": "buyers"}',
  ],
  [{ audience: "spent" }, "definition.audience", 'write {"computedTrait": "spent"'],
  [{ computedTrait: "spent" }, "definition.op", "must be one of"],
  [{ computedTrait: "spent", op: "gt", value: 1, within: "1d" }, "definition.within", "is not known here"],
  [{ computedTrait: "orders", op: "lt", value: 3 }, "definition", "only excludes"],
])("%j is refused at %s", (definition, path, message) => {
  const reading = parseAudience(definition, { audiences: NAMED });
  expect(reading.ok ? [] : reading.problems).toEqual([{ path, message: expect.stringContaining(message) }]);
});

test("whoever did nothing meets a count below a bound, beside a condition for everyone", () => {
  const few = bigSpenders({ any: [{ computedTrait: "orders", op: "lt", value: 3 }], everyone: true });
  const orders = trait("trt", { event: "Order", reduce: { fn: "count" } }, { key: "orders" });
  expect(compileSet([few, orders]).whenEmpty.map(({ id }) => id)).toEqual(["aud"]);
});

test.each([
  { not: { computedTrait: "orders", op: "lt", value: 2 } },
  { not: { computedTrait: "orders", op: "eq", value: 0 } },
])("%j is read where names are not known, too, and met by who did something", (definition) => {
  expect(parseAudience(definition, { audiences: NAMED }).ok).toBe(true);
  const orders = trait("trt", { event: "Order", reduce: { fn: "count" } }, { key: "orders" });
  expect(sentOf("u", [orders, bigSpenders(definition)]).sent).toContain("aud true");
});
