// The examples of docs/use/audiences.md, read out of the page, and those of examples.jsonl beside this file, run.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import {
  accountProfileId,
  applyEvent,
  type ComputationInput,
  compileSet,
  createProfile,
  evaluate,
  type Profile,
  parseAudience,
  parseComputedTrait,
} from "#audiences";

const PAGE = readFileSync(new URL("../../docs/use/audiences.md", import.meta.url), "utf8");
const NOW_MS = Date.parse("2026-01-31T00:00:00Z");
const UNIT_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Rows below a header, each as its cells without the code marks. */
function rowsBelow(header: string): string[][] {
  const [, after = ""] = PAGE.split(`${header}\n|---|---|---|\n`);
  const [table = ""] = after.split("\n\n");
  return table.split("\n").map((row) => row.slice(2, -2).split(" | "));
}

const codeIn = (cell: string | undefined): string[] =>
  [...(cell ?? "").matchAll(/`(?<code>[^`]+)`/g)].map(([, code = ""]) => code);

interface ExampleCall {
  readonly event?: string;
  readonly page?: string;
  readonly screen?: string;
  readonly traits?: object;
  readonly properties?: object;
  readonly ago?: string;
  /** Of several members of an account; otherwise there is one user. */
  readonly user?: string;
}

const callsIn = (cell: string | undefined): ExampleCall[] =>
  JSON.parse(`[${codeIn(cell).join(" ").replaceAll("} {", "}, {")}]`);

/** Examples that the page does not need to show. */
type MoreExample =
  | { audience: object; met: ExampleCall[]; unmet: ExampleCall[] }
  | { computedTrait: object; calls: ExampleCall[]; value: unknown };

const more: MoreExample[] = readFileSync(new URL("examples.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));
const textOf = (value: unknown): string => JSON.stringify(value);

const input = (key: string, definition: ComputationInput["definition"]): ComputationInput => {
  return { id: key, key, generation: 1, state: "live", includeAnonymous: false, definition };
};

const audiencesBeside = {
  audiences: new Map<string, { references: []; fn?: "count" }>([
    ["buyers", { references: [] }],
    ["orders", { references: [], fn: "count" }],
  ]),
};

/** What the example names, `key` with its definition. */
function beside(key: string, text: string): ComputationInput {
  if (key === "buyers") return audience(key, text);
  const reading = parseComputedTrait(JSON.parse(text));
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return input(key, reading.definition);
}

function audience(key: string, text: string): ComputationInput {
  const reading = parseAudience(JSON.parse(text), audiencesBeside);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return input(key, reading.definition);
}

/** A user who has made these calls, or an account that they name, evaluated at the examples' moment. */
function profileOf(computations: readonly ComputationInput[], calls: readonly ExampleCall[]): Profile {
  const set = compileSet(computations);
  const isOfAccount = calls.some(({ user }) => user !== undefined);
  const profile = createProfile(isOfAccount ? accountProfileId("acme") : "u", 0);
  const typeOf = ({ event, page, screen }: ExampleCall): [string, string] => {
    if (event !== undefined) return ["track", event];
    if (page !== undefined) return ["page", page];
    return screen === undefined ? ["identify", ""] : ["screen", screen];
  };
  for (const [offset, call] of calls.entries()) {
    const { ago = "1s", properties = {}, traits = {}, user: userId = "u" } = call;
    const [type, name] = typeOf(call);
    const agoMs = Number.parseInt(ago, 10) * (UNIT_MS[ago.at(-1) ?? ""] ?? Number.NaN);
    const ids = { sourceId: "s", messageId: `m${offset}`, userId, anonymousId: null };
    const times = { timestampMs: NOW_MS - agoMs, receivedAtMs: NOW_MS };
    const made = { ...ids, type, name, ...times, body: { properties, traits } };
    applyEvent(profile, { kind: "call", call: made }, set, { offset, nowMs: NOW_MS });
  }
  evaluate(profile, set.computations.values(), NOW_MS);
  return profile;
}

interface AudienceExample {
  readonly definition: string;
  readonly others: readonly ComputationInput[];
  readonly met: readonly ExampleCall[];
  readonly unmet: readonly ExampleCall[];
}

interface TraitExample {
  readonly definition: string;
  readonly calls: readonly ExampleCall[];
  readonly value: unknown;
}

const audienceExamples: AudienceExample[] = [
  ...rowsBelow("| an audience of | has who did | and not who did |").map(([of, met, unmet]) => {
    const [definition = "", key = "", named] = codeIn(of);
    const others = named === undefined ? [] : [beside(key, named)];
    return { definition, others, met: callsIn(met), unmet: callsIn(unmet) };
  }),
  ...more.flatMap((each) =>
    "audience" in each
      ? [{ definition: textOf(each.audience), others: [], met: each.met, unmet: each.unmet }]
      : [],
  ),
];
const traitExamples: TraitExample[] = [
  ...rowsBelow("| the computed trait | after | is |").map(([of, calls, value]) => ({
    definition: codeIn(of)[0] ?? "",
    calls: callsIn(calls),
    value: JSON.parse(codeIn(value)[0] ?? ""),
  })),
  ...more.flatMap((each) =>
    "computedTrait" in each ? [{ ...each, definition: textOf(each.computedTrait) }] : [],
  ),
];

describe("the examples of audiences", () => {
  test.each(audienceExamples)("$definition has who did $met, and not who did $unmet", (example) => {
    const computations = [...example.others, audience("example", example.definition)];
    const isMember = (calls: readonly ExampleCall[]) =>
      profileOf(computations, calls).results.get("example")?.text === "true";
    expect([isMember(example.met), isMember(example.unmet)]).toEqual([true, false]);
  });

  const all = audienceExamples.map(({ definition }) => textOf(JSON.parse(definition)));

  test("use every condition, window, count and operator that the page lists", () => {
    const tableOf = (heading: string): string => PAGE.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    const listed = tableOf("Operators")
      .split("\n")
      .filter((row) => row.startsWith("| `"))
      .flatMap((row) => codeIn(row.split(" | ")[0]));
    expect(listed.length).toBe(17);
    const used = new Set(all.map((text) => /"op":"(?<op>[a-z_]+)"/.exec(text)?.groups?.["op"]));
    expect(listed.filter((op) => !used.has(op))).toEqual([]);
    const fields = [
      "event",
      "page",
      "screen",
      "trait",
      "computedTrait",
      "audience",
      "members",
      "all",
      "any",
      "not",
      "everyone",
    ];
    const ofEvents = ["where", "within", "between", "after", "before", "count", "reduce"];
    const ofHistory = ["first", "afterBreak", "stopped", "followedBy", "notFollowedBy"];
    expect(
      [...fields, ...ofEvents, ...ofHistory].filter(
        (field) => !all.some((text) => text.includes(`"${field}":`)),
      ),
    ).toEqual([]);
    const counts = all.flatMap((text) => /"count":\{"op":"(?<op>[a-z]+)"/.exec(text)?.groups?.["op"] ?? []);
    expect([...new Set(counts)].sort()).toEqual(["eq", "gt", "gte", "lt", "lte"]);
  });
});

describe("the examples of computed traits", () => {
  test.each(traitExamples)("$definition after $calls is $value", ({ definition, calls, value }) => {
    const reading = parseComputedTrait(JSON.parse(definition));
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    const { results } = profileOf([input("example", reading.definition)], calls);
    expect(JSON.parse(results.get("example")?.text ?? "")).toEqual(value);
  });

  test("use every reducer", () => {
    const shown = traitExamples.map(({ definition }) => JSON.parse(definition).reduce.fn);
    const listed = PAGE.split("| fn | value | when nothing counts |")[1]?.split("\n\n")[0] ?? "";
    const fns = listed.split("\n| ").flatMap((row) => codeIn(row.split(" | ")[0]));
    expect(fns.length).toBe(10);
    expect(fns.filter((fn) => !shown.includes(fn))).toEqual([]);
  });
});

describe("the walk-through", () => {
  const bodies = [...PAGE.matchAll(/-d '\n(?<body>[^']+)'/g)].map(([, body = ""]) => JSON.parse(body));
  const parse = (definition: { reduce?: object }) =>
    definition.reduce === undefined
      ? parseAudience(definition, audiencesBeside)
      : parseComputedTrait(definition);

  test("says definitions that are accepted, and one that is refused as it says", () => {
    const readings = bodies.map(({ definition }) => parse(definition));
    expect(readings.map(({ ok }) => ok)).toEqual([true, true, true, false]);
    const wrong = readings.at(-1);
    const paths = wrong?.ok === false ? wrong.problems.map(({ path }) => path) : [];
    expect(paths).toEqual(["definition.all[0].within", "definition.all[1].op"]);
    for (const path of paths) expect(PAGE).toContain(`{"path": "${path}", …}`);
  });
});
