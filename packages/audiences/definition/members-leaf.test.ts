// Conditions on members of accounts: what is accepted, and what is refused.
import { describe, expect, test } from "@jest/globals";
import { audienceDefinition, problemsIn } from "../fixtures/definitions.ts";
import { definitionCost } from "./cost.ts";
import { limitHistory } from "./limit-history.ts";
import { parseAudience } from "./parse-audience.ts";
import { parseComputedTrait } from "./parse-computed-trait.ts";

const problemsOf = (definition: object) => problemsIn(parseAudience(definition, { audiences: new Map() }));

const leavesOf = (definition: object) => [
  ...audienceDefinition({ of: "accounts", ...definition }).leaves.values(),
];

const LOGIN = { event: "Login", within: "30d" };
const OFTEN = { ...LOGIN, count: { op: "gte", value: 3 } };

test("each condition on calls is a part of its own, once, and of accounts", () => {
  const [leaf] = leavesOf({ members: { all: [LOGIN, { any: [OFTEN, { not: LOGIN }] }] } });
  expect(leaf).toMatchObject({
    kind: "composite",
    parts: [
      { name: "Login", of: "accounts", measure: { kind: "members", op: "gte", value: 1 } },
      { name: "Login", of: "accounts", measure: { kind: "members", op: "gte", value: 3 } },
    ],
    ask: {
      kind: "members",
      count: { op: "gte", value: 1 },
      of: { kind: "all", of: [{ part: 0 }, { kind: "any", of: [{ part: 1 }, { of: { part: 0 } }] }] },
    },
  });
});

test("an audience of users is named, which accounts are told about for each definition anew", () => {
  const audiences = new Map([["buyers", { references: [] }]]);
  const definition = { of: "accounts", members: { all: [LOGIN, { not: { audience: "buyers" } }] } };
  const reading = parseAudience(definition, { audiences });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  expect(reading.definition.references).toEqual(["buyers"]);
  const keysOf = (generation: number) => {
    const config = {
      id: "aud_1",
      generation,
      createdAtMs: 0,
      backfill: { mode: "none", days: null },
    } as const;
    const [leaf] = limitHistory(reading.definition, config).definition.leaves.values();
    return leaf?.kind === "composite" ? leaf.parts.map(({ key, name }) => ({ key, name })) : [];
  };
  const [calls, told] = keysOf(1);
  expect(told?.name).toBe("buyers");
  expect(keysOf(2)[0]).toEqual(calls);
  expect(keysOf(2)[1]?.key).not.toBe(told?.key);
});

test("an audience of accounts is none that members are in", () => {
  const audiences = new Map([["busy", { references: [], of: "accounts" as const }]]);
  const reading = parseAudience({ of: "accounts", members: { audience: "busy" } }, { audiences });
  expect(reading).toMatchObject({ ok: false, problems: [{ path: "definition.members.audience" }] });
});

test("conditions that differ in how many members they ask for share what is kept", () => {
  const [one, other] = leavesOf({
    any: [{ members: OFTEN }, { members: OFTEN, count: { op: "gt", value: 1 } }],
  });
  expect(one?.key).not.toBe(other?.key);
  expect(one).toMatchObject({ parts: other?.kind === "composite" ? other.parts : [] });
});

describe("refused, with the field named", () => {
  test("members of anything but accounts", () => {
    expect(problemsOf({ members: LOGIN })["definition.members"]).toContain('"of": "accounts"');
  });

  test.each<[string, object, string]>([
    ["definition.members", { members: { trait: "plan", op: "exists" } }, "must have one of"],
    ["definition.members.audience", { members: { audience: "a" } }, "there is no audience"],
    ["definition.members.within", { members: { audience: "a", within: "30d" } }, "not known here"],
    ["definition.members", { members: { not: LOGIN } }, "have done nothing"],
    ["definition.members", { members: { any: [LOGIN, { not: OFTEN }] } }, "have done nothing"],
    ["definition.members", { members: { ...LOGIN, count: { op: "lte", value: 2 } } }, "have done nothing"],
    ["definition.members.stopped", { members: { event: "A", stopped: "30d" } }, "not known here"],
    ["definition.members.all", { members: { all: [] } }, "at least one condition"],
    ["definition.members.all[0].page", { members: { all: [{ event: "A", page: "B" }] } }, "beside event"],
    ["definition.count.op", { members: LOGIN, count: { op: "most", value: 1 } }, "gte"],
    ["definition.within", { members: LOGIN, within: "30d" }, "not known here"],
    ["definition.members", { members: "u1" }, "must be an object"],
    ["definition.event", { event: "A", members: LOGIN }, ""],
    ["definition", { members: LOGIN, count: { op: "eq", value: 0 } }, "only excludes"],
    [
      "definition.members.where",
      {
        members: { event: "A", where: [{ path: "properties.d", op: "within_last", value: "7d" }] },
      },
      "within_last",
    ],
  ])("%s of %j", (path, definition, words) => {
    const problems = problemsOf({ of: "accounts", ...definition });
    expect(problems[path] ?? problems["definition.members"]).toContain(words);
  });

  test("groups in a member's condition count among those around it", () => {
    const nested = (depth: number): object => (depth === 0 ? LOGIN : { all: [nested(depth - 1)] });
    expect(problemsOf({ of: "accounts", members: nested(7) })).toEqual({});
    expect(Object.values(problemsOf({ of: "accounts", members: nested(8) }))).toEqual([
      "nests deeper than 8 groups",
    ]);
  });

  test("its conditions are counted, one by one", () => {
    const members = { any: Array.from({ length: 51 }, () => LOGIN) };
    expect(problemsOf({ of: "accounts", members })).toEqual({
      definition: "has 51 conditions, at most 50 are allowed",
    });
    const where = [{ path: "properties.x", op: "contains", value: "a" }];
    expect(definitionCost({ of: "accounts", members: { all: [LOGIN, { ...LOGIN, where }] } })).toEqual({
      conditions: 3,
      searches: 1,
    });
  });

  test("a computed trait has none", () => {
    const reading = parseComputedTrait({ of: "accounts", members: LOGIN, reduce: { fn: "count" } });
    expect(reading.ok).toBe(false);
  });
});
