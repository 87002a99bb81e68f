import { expect, test } from "@jest/globals";
import { destination as destinationRecord } from "#support/records";
import type { DestinationConfig } from "#topics";
import { SourceCosts, sourceCostProblems } from "./source-costs.ts";

function destination(id: string, changes: Partial<DestinationConfig> = {}): DestinationConfig {
  return destinationRecord({ id, sourceIds: ["shop"], ...changes });
}

/** So many conditions, of which the first ones are searches. */
function filterOf(conditions: number, searches = 0): { all: object[] } {
  const all = Array.from({ length: conditions }, (_, index) => ({
    path: "properties.a",
    op: index < searches ? "contains" : "eq",
    value: "x",
  }));
  return { all };
}

const text = (filter: object): string => JSON.stringify(filter);

/** Of destinations that are there now. */
function emptyCosts() {
  const there = new Set<DestinationConfig>();
  const costs = new SourceCosts(
    (sourceId) => [...there].filter(({ sourceIds }) => sourceIds.includes(sourceId)).length,
  );
  return Object.assign(costs, {
    change(after: DestinationConfig | undefined, before: DestinationConfig | undefined): void {
      if (before !== undefined) there.delete(before);
      if (after !== undefined) there.add(after);
      costs.apply(after, before);
    },
  });
}

function costsOf(...destinations: readonly DestinationConfig[]) {
  const costs = emptyCosts();
  for (const one of destinations) costs.change(one, undefined);
  return costs;
}

/** Twenty with a hundred searches each: as many as a source may have. */
function fullOfSearches(): DestinationConfig[] {
  return Array.from({ length: 20 }, (_, index) =>
    destination(`d${index}`, { filter: text(filterOf(100, 100)) }),
  );
}

const SEARCHES =
  "brings the filters of all destinations of source shop to 2001 conditions with contains or not_contains, at most 2000 are allowed";

test("what the filters of a source's destinations ask is added up, change by change", () => {
  const costs = emptyCosts();
  const nothing = { destinations: 0, conditions: 0, searches: 0, characters: 0 };
  expect(costs.of("shop")).toEqual(nothing);
  const filter = text(filterOf(3, 2));
  const one = destination("d1", { filter, events: ["Bought", "Sold"] });
  costs.change(one, undefined);
  const cost = { destinations: 1, conditions: 3, searches: 2, characters: filter.length + 10 };
  expect(costs.of("shop")).toEqual(cost);
  const moved = { ...one, enabled: false, sourceIds: ["shop", "web"] };
  costs.change(moved, one);
  expect([costs.of("shop"), costs.of("web")]).toEqual([cost, cost]);
  costs.change(undefined, moved);
  expect([costs.of("shop"), costs.of("web"), costs.size]).toEqual([nothing, nothing, 0]);
});

test("a filter that brings a source above its searches is refused with the figure and the bound", () => {
  const costs = costsOf(...fullOfSearches());
  const problems = (body: Readonly<Record<string, unknown>>, before?: DestinationConfig) =>
    sourceCostProblems(body, { costs, before });
  const sourceIds = ["web", "shop"];
  const filter = filterOf(1, 1);
  expect(problems({ sourceIds, filter })).toEqual([{ path: "filter", message: SEARCHES }]);
  expect(problems({ sourceIds, filter: filterOf(1) })).toEqual([]);
  expect(problems({ sourceIds: ["web"], filter })).toEqual([]);
  expect(problems({ filter }, destination("d20"))).toEqual([{ path: "filter", message: SEARCHES }]);
});

test("a destination whose filter is there already is refused by the source that it is connected to", () => {
  const costs = costsOf(...fullOfSearches());
  const before = destination("d20", { sourceIds: ["web"], filter: text(filterOf(1, 1)) });
  costs.change(before, undefined);
  expect(sourceCostProblems({ sourceIds: ["web", "shop"] }, { costs, before })).toEqual([
    { path: "sourceIds[1]", message: SEARCHES },
  ]);
  expect(sourceCostProblems({ sourceIds: ["web", "shop"], filter: null }, { costs, before })).toEqual([]);
});

test("conditions, and the characters of filters and event names, have bounds of their own", () => {
  const full = Array.from({ length: 200 }, (_, index) =>
    destination(`d${index}`, { filter: text(filterOf(50)) }),
  );
  const long = destination("long", { sourceIds: ["web"], events: ["x".repeat(9_999_990)] });
  const costs = costsOf(...full, long);
  const problems = (body: Readonly<Record<string, unknown>>) =>
    sourceCostProblems(body, { costs, before: undefined });
  expect(problems({ sourceIds: ["shop"], filter: filterOf(1) })).toEqual([
    {
      path: "filter",
      message:
        "brings the filters of all destinations of source shop to 10001 conditions, at most 10000 are allowed",
    },
  ]);
  expect(problems({ sourceIds: ["web"], events: ["x".repeat(10)] })).toEqual([]);
  expect(problems({ sourceIds: ["web"], events: ["Bought", "Sold", "x"] })).toEqual([
    {
      path: "events",
      message:
        "brings the filters and event names of all destinations of source web to 10000001 characters, at most 10000000 are allowed",
    },
  ]);
});

test("a source has a thousand destinations at most, one without a filter among them", () => {
  const full = Array.from({ length: 1_000 }, (_, index) => destination(`d${index}`));
  const web = destination("web", { sourceIds: ["web"] });
  const costs = costsOf(...full, web);
  expect([costs.of("shop").destinations, costs.of("web").destinations]).toEqual([1_000, 1]);
  const problem = (path: string) => [
    { path, message: "brings source shop to 1001 destinations, at most 1000 are allowed" },
  ];
  const sourceIds = ["web", "shop"];
  const filter = filterOf(1);
  expect(sourceCostProblems({ sourceIds, filter }, { costs, before: undefined })).toEqual(
    problem("sourceIds[1]"),
  );
  expect(sourceCostProblems({ sourceIds }, { costs, before: web })).toEqual(problem("sourceIds[1]"));
  expect(sourceCostProblems({ sourceIds, filter }, { costs, before: full[0] })).toEqual([]);
  costs.change(undefined, full[0]);
  expect(sourceCostProblems({ sourceIds }, { costs, before: web })).toEqual([]);
});

test("a change that makes nothing dearer is taken, also of a source that is above its bounds from before", () => {
  const full = fullOfSearches();
  const before = destination("old", { filter: text(filterOf(100, 100)), events: ["A"] });
  const costs = costsOf(...full, before);
  const problems = (body: Readonly<Record<string, unknown>>) => sourceCostProblems(body, { costs, before });
  expect(costs.of("shop").searches).toBe(2_100);
  expect(problems({ name: "New", enabled: true })).toEqual([]);
  expect(problems({ filter: filterOf(99, 99), events: ["B"], sourceIds: ["shop"] })).toEqual([]);
  expect(problems({ filter: filterOf(120, 100) })).toEqual([]);
  expect(problems({ filter: filterOf(101, 101) })).toHaveLength(1);
  expect(problems({ sourceIds: ["shop", "web"] })).toEqual([]);
});

test("a body of any shape is looked at", () => {
  const costs = costsOf(...fullOfSearches());
  const problems = (body: Readonly<Record<string, unknown>>) =>
    sourceCostProblems(body, { costs, before: undefined });
  expect(problems({ sourceIds: "shop", filter: filterOf(1, 1) })).toEqual([]);
  expect(problems({ sourceIds: [7, "shop"], filter: "x", events: [1, { a: 1 }] })).toEqual([]);
  expect(problems({})).toEqual([]);
});
