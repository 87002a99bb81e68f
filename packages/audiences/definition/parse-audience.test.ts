import { describe, expect, test } from "@jest/globals";
import { problemsIn } from "../fixtures/definitions.ts";
import { parseCallFilter } from "./call-filter.ts";
import { parseAudience } from "./parse-audience.ts";

const NONE = new Map<string, { references: readonly string[] }>();
const KNOWN = new Map([["big_spenders", { references: [] as readonly string[] }]]);
const DAY_MS = 86_400_000;

function read(definition: unknown, audiences = KNOWN) {
  const reading = parseAudience(definition, { audiences });
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.definition;
}

const problemsOf = (definition: unknown, audiences = KNOWN, ownKey?: string) =>
  problemsIn(parseAudience(definition, { audiences, ownKey }));

describe("what is accepted", () => {
  test("the plan's example, with its operators, windows and groups", () => {
    const definition = read({
      all: [
        {
          event: "Order Completed",
          where: [{ path: "properties.total", op: "gte", value: 100 }],
          within: "30d",
          count: { op: "gte", value: 2 },
        },
        { not: { event: "Subscription Cancelled", within: "365d" } },
        { any: [{ trait: "plan", op: "in", value: ["pro", "team"] }, { audience: "big_spenders" }] },
      ],
    });
    expect(definition.leaves.size).toBe(4);
    expect(definition.references).toEqual(["big_spenders"]);
    expect([...definition.leaves.values()][0]).toMatchObject({
      kind: "event",
      type: "track",
      name: "Order Completed",
      where: [{ path: ["properties", "total"], test: { op: "gte", value: 100 } }],
      window: { enterMs: 0, leaveMs: 30 * DAY_MS },
      measure: { kind: "count", op: "gte", value: 2 },
    });
    expect(definition.expression).toMatchObject({
      kind: "all",
      of: [{ kind: "leaf", path: "definition.all[0]" }, { kind: "not" }, { kind: "any" }],
    });
  });

  test("durations are read as everywhere: what says the same is the same leaf", () => {
    const any = ["12h", "0.5d", "PT12H"].map((within) => ({ event: "A", within }));
    const between = ["0s", "PT720M"];
    expect(read({ any: [...any, { event: "A", between }] }).leaves.size).toBe(1);
  });

  test.each([
    [{ event: "A" }],
    [{ page: "Home", between: ["30d", "90d"] }],
    [{ screen: "Main", after: "2026-01-01T00:00:00Z", before: "2026-02-01T00:00:00Z" }],
    [{ event: "A", within: "60s", after: "2026-01-01T00:00:00Z" }],
    [{ event: "A", within: "400d", where: [] }],
    [{ everyone: true }],
    [{ everyone: true, all: [{ not: { event: "A" } }] }],
    [{ everyone: true, not: { event: "A" } }],
    [{ any: [{ event: "A" }, { not: { event: "B" } }] }],
    [{ not: { trait: "plan", op: "not_exists" } }],
    [{ not: { event: "A", count: { op: "eq", value: 0 } } }],
    [{ trait: "address.city", op: "neq", value: "Oslo" }],
    [{ trait: "renewsAt", op: "within_next", value: "7d" }],
    [{ trait: "since", op: "before", value: "2026-01-01T00:00:00+01:00" }],
    [{ trait: "n", op: "gt", value: "a" }],
    [{ trait: "n", op: "eq", value: "" }],
    [nested(8)],
    [{ all: Array.from({ length: 50 }, (_, index) => ({ event: `E${index}` })) }],
  ])("%j", (definition) => {
    expect(problemsOf(definition)).toEqual({});
  });

  test("leaves that say the same are one leaf, in whatever order and words", () => {
    const where = [
      { path: "properties.a", op: "eq", value: 1 },
      { path: "properties.b", op: "exists" },
    ];
    const { leaves } = read({
      all: [
        { event: "A", where, within: "1d", count: { op: "gt", value: 1 } },
        { event: "A", where: where.toReversed(), within: "24h", count: { op: "gte", value: 2 } },
      ],
    });
    expect(leaves.size).toBe(1);
    const others = read({
      all: [
        { event: "A", within: "1d" },
        { page: "A", within: "1d" },
        { event: "A", within: "2d" },
      ],
    });
    expect(others.leaves.size).toBe(3);
  });

  test("a leaf's key stays the same from run to run: states are kept under it", () => {
    expect([...read({ event: "A", within: "1d" }).leaves.keys()]).toEqual(["PX0S8nXxsOq_5FRU"]);
  });
});

function nested(depth: number): unknown {
  let definition: unknown = { event: "A" };
  for (let level = 0; level < depth; level += 1) definition = { all: [definition] };
  return definition;
}

describe("what is refused, by its path, with what mends it", () => {
  const where = (condition: object) => ({ event: "A", where: [{ path: "a", ...condition }] });
  const cases: [unknown, string, string][] = [
    [null, "definition", "must be an object, is null"],
    [[], "definition", "must be an object, is an array"],
    [{}, "definition", "must have one of all, any, not"],
    [{ all: [] }, "definition.all", "at least one"],
    [{ any: [] }, "definition.any", "at least one"],
    [{ all: { event: "A" } }, "definition.all", "must be a list"],
    [{ not: [{ event: "A" }] }, "definition.not", "must be an object"],
    [{ all: [{ any: [] }] }, "definition.all[0].any", "at least one"],
    [{ all: [{ event: "A" }], any: [{ event: "B" }] }, "definition.any", "cannot stand beside all"],
    [{ event: "A", trait: "b" }, "definition.trait", "cannot stand beside event"],
    [{ event: "" }, "definition.event", "must be a name"],
    [{ event: 5 }, "definition.event", "is a number"],
    [{ event: "A", widthin: "1d" }, "definition.widthin", "known are event, where, within"],
    [{ event: "A", within: "59s" }, "definition.within", "from 60s to 400d"],
    [{ event: "A", within: "401d" }, "definition.within", "from 60s to 400d"],
    [{ event: "A", within: "soon" }, "definition.within", "like 30d"],
    [{ event: "A", within: 30 }, "definition.within", "like 30d"],
    [{ event: "A", between: ["90d", "30d"] }, "definition.between", "shorter duration first"],
    [{ event: "A", between: ["30d"] }, "definition.between", "two durations"],
    [{ event: "A", between: ["30d", "401d"] }, "definition.between[1]", "at most 400d"],
    [{ event: "A", within: "1d", between: ["1d", "2d"] }, "definition.between", "contradicts within"],
    [{ event: "A", after: "2026-01-01" }, "definition.after", "RFC 3339"],
    [
      { event: "A", after: "2026-02-01T00:00:00Z", before: "2026-01-01T00:00:00Z" },
      "definition.before",
      "later than after",
    ],
    [{ event: "A", count: 2 }, "definition.count", "must be an object"],
    [{ event: "A", count: { op: "ge", value: 2 } }, "definition.count.op", "gt, gte, lt, lte, eq"],
    [{ event: "A", count: { op: "toString", value: 2 } }, "definition.count.op", "gt, gte, lt, lte, eq"],
    [{ event: "A", count: { op: "gte", value: 1.5 } }, "definition.count.value", "whole number"],
    [{ event: "A", count: { op: "gte", value: "2" } }, "definition.count.value", "whole number"],
    [{ event: "A", reduce: { fn: "count" } }, "definition.reduce.fn", "has a field of its own"],
    [{ event: "A", where: { path: "a", op: "exists" } }, "definition.where", "must be a list"],
    [{ event: "*" }, "definition.event", 'any": ['],
    [{ any: [{ page: "*" }] }, "definition.any[0].page", "does not stand for every name"],
    [where({ path: "", op: "exists" }), "definition.where[0].path", "must be a path"],
    [where({ path: "a..b", op: "exists" }), "definition.where[0].path", "must be a path"],
    [where({ op: "matches" }), "definition.where[0].op", "must be one of eq, neq"],
    [where({ op: "eq" }), "definition.where[0].value", "is missing"],
    [where({ op: "eq", value: null }), "definition.where[0].value", "is null"],
    [where({ op: "gt", value: true }), "definition.where[0].value", "must be a number"],
    [where({ op: "in", value: [] }), "definition.where[0].value", "list of 1 to 500"],
    [where({ op: "in", value: "x" }), "definition.where[0].value", "list of 1 to 500"],
    [where({ op: "starts_with", value: 5 }), "definition.where[0].value", "must be a text"],
    [where({ op: "contains", value: "" }), "definition.where[0].value", "is empty"],
    [where({ op: "exists", value: 1 }), "definition.where[0].value", "left out"],
    [where({ op: "before", value: "2026-02-30T00:00:00Z" }), "definition.where[0].value", "RFC 3339"],
    [where({ op: "within_last", value: "30" }), "definition.where[0].value", "60s to 400d"],
    [
      { ...where({ op: "within_next", value: "1d" }), count: { op: "gte", value: 100 } },
      "definition.count.value",
      "must be at most 99",
    ],
    [{ trait: "", op: "exists" }, "definition.trait", "must be a path"],
    [{ trait: "plan" }, "definition.op", "must be one of"],
    [{ trait: "plan", op: "eq", value: {} }, "definition.value", "is an object"],
    [{ audience: 1 }, "definition.audience", "must be a name"],
    [{ audience: "nobody" }, "definition.audience", 'no audience with the key "nobody"'],
    [{ not: { event: "A" } }, "definition", "only excludes"],
    [{ all: [{ not: { event: "A" } }, { trait: "b", op: "not_exists" }] }, "definition", "only excludes"],
    [{ event: "A", count: { op: "lte", value: 3 } }, "definition", "only excludes"],
    [{ not: { not: { event: "A", count: { op: "eq", value: 0 } } } }, "definition", "only excludes"],
    [{ not: { audience: "big_spenders" } }, "definition", "only excludes"],
    [{ everyone: "yes", all: [{ event: "A" }] }, "definition.everyone", "must be true"],
    [{ all: [{ everyone: true, any: [{ event: "A" }] }] }, "definition.all[0].everyone", "is not known here"],
    [{ all: Array.from({ length: 51 }, () => ({ event: "A" })) }, "definition", "has 51 conditions"],
    [nested(9), `definition${".all[0]".repeat(8)}.all`, "deeper than 8"],
  ];
  test.each(cases)("%j at %s", (definition, path, message) => {
    const problems = problemsOf(definition);
    expect(Object.keys(problems)).toEqual([path]);
    expect(problems[path]).toContain(message);
  });

  test("every wrong field at once", () => {
    const definition = {
      all: [
        { event: "", where: [{ path: "a", op: "what" }], within: "1s" },
        { trait: "b", op: "gte", value: [] },
        { audience: "nobody" },
      ],
      extra: 1,
    };
    expect(Object.keys(problemsOf(definition))).toEqual([
      "definition.extra",
      "definition.all[0].event",
      "definition.all[0].where[0].op",
      "definition.all[0].within",
      "definition.all[1].value",
      "definition.all[2].audience",
    ]);
  });
});

describe("audiences that name audiences", () => {
  const chain = new Map(
    Array.from({ length: 6 }, (_, index) => [
      `a${index}`,
      { references: index === 0 ? [] : [`a${index - 1}`] },
    ]),
  );

  test("four in each other pass, five are refused", () => {
    expect(problemsOf({ audience: "a3" }, chain)).toEqual({});
    expect(problemsOf({ all: [{ audience: "a4" }] }, chain)).toEqual({
      "definition.all[0].audience": "nests more than 4 audiences in each other",
    });
  });

  test("those that name the edited audience count too", () => {
    expect(problemsOf({ audience: "a0" }, chain, "a2")).toEqual({});
    const named = new Map(chain).set("other", { references: ["more"] }).set("more", { references: [] });
    expect(Object.keys(problemsOf({ audience: "other" }, named, "a2"))).toEqual(["definition.audience"]);
  });

  test("a cycle is refused, the own key too", () => {
    expect(problemsOf({ audience: "a2" }, chain, "a0")).toEqual({
      "definition.audience": 'leads back to this audience: "a2" must not depend on "a0"',
    });
    expect(Object.keys(problemsOf({ audience: "me" }, NONE, "me"))).toEqual(["definition.audience"]);
  });
});

test("a computed trait is no trait that a condition sees: it says what to write instead", () => {
  const definition = {
    all: [
      { trait: "spent.much", op: "exists" },
      { trait: "plan", op: "exists" },
    ],
  };
  const context = { audiences: NONE, computedTraits: new Set(["spent"]) };
  const reading = parseAudience(definition, context);
  expect(reading.ok ? [] : reading.problems).toEqual([
    {
      path: "definition.all[0].trait",
      message: expect.stringMatching(/^"spent" is a computed trait, .*: write \{"computedTrait": "spent"/),
    },
  ]);
  expect(parseAudience(definition, { audiences: NONE }).ok).toBe(true);
});

test("of a body with a hundred thousand wrong conditions as many are read as an answer needs", () => {
  const many = (of: object) => ({ any: Array.from({ length: 100_000 }, () => of) });
  const context = { audiences: new Map() };
  const wrong = parseAudience(many({}), context);
  expect(wrong.ok ? 0 : wrong.problems.length).toBe(200);
  const right = parseAudience(many({ event: "A" }), context);
  expect(right.ok ? [] : right.problems).toEqual([
    { path: "definition", message: "has more than 500 conditions, at most 50 are allowed" },
  ]);
  const filter = parseCallFilter(many({ path: "a", op: "contain", value: 1 }));
  expect(filter.ok ? 0 : filter.problems.length).toBe(200);
});
