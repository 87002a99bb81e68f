// The examples of docs/use/audiences.md, read out of the page and run.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import {
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
}

const callsIn = (cell: string | undefined): ExampleCall[] =>
  JSON.parse(`[${codeIn(cell).join(" ").replaceAll("} {", "}, {")}]`);

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

/** A user who has made these calls, evaluated at the examples' moment. */
function userOf(computations: readonly ComputationInput[], calls: readonly ExampleCall[]): Profile {
  const set = compileSet(computations);
  const profile = createProfile("u", 0);
  const typeOf = ({ event, page, screen }: ExampleCall): [string, string] => {
    if (event !== undefined) return ["track", event];
    if (page !== undefined) return ["page", page];
    return screen === undefined ? ["identify", ""] : ["screen", screen];
  };
  for (const [offset, call] of calls.entries()) {
    const { ago = "1s", properties = {}, traits = {} } = call;
    const [type, name] = typeOf(call);
    const agoMs = Number.parseInt(ago, 10) * (UNIT_MS[ago.at(-1) ?? ""] ?? Number.NaN);
    const ids = { sourceId: "s", messageId: `m${offset}`, userId: "u", anonymousId: null };
    const times = { timestampMs: NOW_MS - agoMs, receivedAtMs: NOW_MS };
    const made = { ...ids, type, name, ...times, body: { properties, traits } };
    applyEvent(profile, { kind: "call", call: made }, set, { offset, nowMs: NOW_MS });
  }
  evaluate(profile, set.computations.values(), NOW_MS);
  return profile;
}

const audienceRows = rowsBelow("| an audience of | has who did | and not who did |");
const traitRows = rowsBelow("| the computed trait | after | is |");

describe("the examples of audiences", () => {
  test.each(audienceRows)("%s has who did %s, and not who did %s", (of, met, unmet) => {
    const [definition = "", key = "", named] = codeIn(of);
    const others = named === undefined ? [] : [beside(key, named)];
    const computations = [...others, audience("example", definition)];
    const isMember = (calls: ExampleCall[]) =>
      userOf(computations, calls).results.get("example")?.text === "true";
    expect([isMember(callsIn(met)), isMember(callsIn(unmet))]).toEqual([true, false]);
  });

  const all = audienceRows.map(([of]) => codeIn(of)[0] ?? "");

  test("show every condition, window, count and operator that the page lists", () => {
    const tableOf = (heading: string): string => PAGE.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
    const listed = tableOf("Operators")
      .split("\n")
      .filter((row) => row.startsWith("| `"))
      .flatMap((row) => codeIn(row.split(" | ")[0]));
    expect(listed.length).toBe(17);
    const used = new Set(all.map((text) => /"op": "(?<op>[a-z_]+)"/.exec(text)?.groups?.["op"]));
    expect(listed.filter((op) => !used.has(op))).toEqual([]);
    const fields = [
      "event",
      "page",
      "screen",
      "trait",
      "computedTrait",
      "audience",
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
    const counts = all.flatMap((text) => /"count": \{"op": "(?<op>[a-z]+)"/.exec(text)?.groups?.["op"] ?? []);
    expect([...new Set(counts)].sort()).toEqual(["eq", "gt", "gte", "lt", "lte"]);
  });
});

describe("the examples of computed traits", () => {
  test.each(traitRows)("%s after %s is %s", (of, calls, value) => {
    const reading = parseComputedTrait(JSON.parse(codeIn(of)[0] ?? ""));
    if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
    const { results } = userOf([input("example", reading.definition)], callsIn(calls));
    expect(JSON.parse(results.get("example")?.text ?? "")).toEqual(JSON.parse(codeIn(value)[0] ?? ""));
  });

  test("show every reducer", () => {
    const shown = traitRows.map(([of]) => /"fn": "(?<fn>[a-z_]+)"/.exec(of ?? "")?.groups?.["fn"]);
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
