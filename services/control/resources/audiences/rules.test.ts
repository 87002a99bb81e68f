import { expect, test } from "@jest/globals";
import { createAudience } from "./audience.ts";
import { referrersOf } from "./references.ts";
import { createProblems, patchProblems, previewProblems } from "./rules.ts";

const trait = createAudience(
  {
    id: "trt_1",
    key: "spent",
    name: "Spent",
    resource: "computed_trait",
    definition: { event: "A", reduce: { fn: "count" } },
  },
  1,
);

test("a computed trait that is there is refused as a trait, of a new audience and of one that is only asked about", () => {
  const definition = { trait: "spent", op: "gte", value: 100 };
  const pathsOf = (configs: Parameters<typeof previewProblems>[1]) => [
    createProblems({ name: "Big", definition }, { resource: "audience", configs }).map(({ path }) => path),
    previewProblems({ definition }, configs).map(({ path }) => path),
  ];
  expect(pathsOf([trait])).toEqual([["definition.trait"], ["definition.trait"]]);
  expect(pathsOf([])).toEqual([[], []]);
  expect(pathsOf([{ ...trait, deletedAtMs: 2 }])).toEqual([[], []]);
});

test("a definition of accounts names what is of accounts, has no anonymous members, and stays one of accounts", () => {
  const of = "accounts";
  const busy = createAudience(
    { id: "aud_1", key: "busy", name: "Busy", resource: "audience", definition: { of, event: "A" } },
    1,
  );
  const rules = { resource: "audience", configs: [trait, busy] } as const;
  const problemsOf = (body: object) =>
    createProblems({ name: "Big", ...body }, rules).map(({ path }) => path);
  expect(problemsOf({ definition: { of, audience: "busy" } })).toEqual([]);
  expect(problemsOf({ definition: { audience: "busy" } })).toEqual(["definition.audience"]);
  expect(problemsOf({ definition: { of, computedTrait: "spent", op: "gt", value: 1 } })).toEqual([
    "definition.computedTrait",
  ]);
  expect(problemsOf({ definition: { of: "teams", event: "A" } })).toEqual(["definition.of"]);
  expect(problemsOf({ definition: { of, members: { event: "A" } } })).toEqual([]);
  expect(problemsOf({ definition: { members: { event: "A" } } })).toEqual(["definition.members"]);
  const users = createAudience(
    { id: "aud_2", key: "buyers", name: "Buyers", resource: "audience", definition: { event: "A" } },
    1,
  );
  const byAudience = { definition: { of, members: { audience: "buyers" } } };
  const named = { resource: "audience", configs: [trait, busy, users] } as const;
  expect(createProblems({ name: "Big", ...byAudience }, named)).toEqual([]);
  expect(problemsOf({ definition: { of, members: { audience: "busy" } } })).toEqual([
    "definition.members.audience",
  ]);
  expect(previewProblems(byAudience, [users])).toEqual([]);
  const big = createAudience(
    { id: "aud_3", key: "big", name: "Big", resource: "audience", ...byAudience },
    1,
  );
  expect(referrersOf("buyers", [users, big])).toEqual(["big"]);
  const anonymous = { includeAnonymous: true, definition: { of, event: "A" } };
  expect(problemsOf(anonymous)).toEqual(["includeAnonymous"]);
  expect(previewProblems(anonymous, []).map(({ path }) => path)).toEqual(["includeAnonymous"]);
  const patched = (definition: object) => patchProblems({ definition }, busy, rules).map(({ path }) => path);
  expect(patched({ event: "B" })).toEqual(["definition.of"]);
  expect(patched({ of, event: "B" })).toEqual([]);
});

test("a trait that goes along is none of the properties of a track call, no audience's key and no computed trait's", () => {
  const sendTraits = ["plan", "audience_id", "big", "spent"];
  const body = { name: "Big", definition: { event: "A" }, sendTraits };
  const rules = { resource: "audience", configs: [trait] } as const;
  const paths = ["sendTraits[1]", "sendTraits[2]", "sendTraits[3]"];
  expect(createProblems(body, rules).map(({ path }) => path)).toEqual(paths);
  const big = createAudience({ ...body, id: "aud_1", key: "big", resource: "audience", sendTraits: [] }, 1);
  expect(
    patchProblems({ sendTraits }, big, { ...rules, configs: [trait, big] }).map(({ path }) => path),
  ).toEqual(paths);
  const list = createAudience({ id: "aud_2", key: "vips", name: "VIPs", resource: "audience" }, 1);
  expect(patchProblems({ trackCalls: true, sendTraits: ["plan"] }, list, rules)).toEqual([]);
});
