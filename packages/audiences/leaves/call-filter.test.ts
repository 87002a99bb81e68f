import { describe, expect, test } from "@jest/globals";
import { type CallFilter, parseCallFilter } from "../definition/call-filter.ts";
import { NAME_FIELDS } from "../definition/event-leaf.ts";
import { problemsIn } from "../fixtures/definitions.ts";
import { passesFilter } from "./call-filter.ts";

const CALL = {
  type: "track",
  event: "Order Completed",
  properties: { total: 120, coupon: null, lines: ["a", "b"] },
  context: { ip: "192.0.2.1" },
};

function filter(input: unknown): CallFilter {
  const reading = parseCallFilter(input);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.definition;
}

const problemsOf = (input: unknown) => problemsIn(parseCallFilter(input));

const total = (op: string, value: unknown) => ({ path: "properties.total", op, value });

describe("a call passes a filter", () => {
  test.each<[unknown, boolean]>([
    [total("gte", 120), true],
    [total("gt", 120), false],
    [{ path: "properties.lines", op: "contains", value: "b" }, true],
    [{ path: "properties.coupon", op: "exists" }, false],
    [{ path: "properties.none.deeper", op: "not_exists" }, true],
    [{ path: "event", op: "eq", value: "Order Completed" }, true],
    [{ event: "Order Completed" }, true],
    [{ event: "Order Cancelled" }, false],
    [{ page: "Order Completed" }, false],
    [{ event: "Order Completed", where: [total("lt", 100)] }, false],
    [{ event: "Order Completed", where: [total("lt", 200)] }, true],
    [{ all: [{ event: "Order Completed" }, total("gt", 200)] }, false],
    [{ any: [{ event: "Order Cancelled" }, total("eq", 120)] }, true],
    [{ not: { path: "context.ip", op: "starts_with", value: "192." } }, false],
  ])("%j: %s", (input, isPassing) => {
    expect(passesFilter(filter(input), CALL)).toBe(isPassing);
  });

  test("of a page or screen by its name", () => {
    const page = { type: "page", name: "Pricing" };
    expect(passesFilter(filter({ page: "Pricing" }), page)).toBe(true);
    expect(passesFilter(filter({ screen: "Pricing" }), page)).toBe(false);
    expect(passesFilter(filter({ event: "Pricing" }), page)).toBe(false);
  });
});

describe("refused, with the field named, is", () => {
  const history =
    "needs what is known of a user; a filter sees the call alone. An audience can have it, and be sent to the destination";

  test.each<[unknown, Record<string, string>]>([
    [{ trait: "plan", op: "eq", value: "pro" }, { "filter.trait": history }],
    [{ all: [{ audience: "vips" }] }, { "filter.all[0].audience": history }],
    [
      { not: { event: "A", within: "30d", count: { op: "gte", value: 2 } } },
      { "filter.not.within": history, "filter.not.count": history },
    ],
    [{ event: "A", stopped: "30d" }, { "filter.stopped": history }],
    [{ event: "A", before: "2026-01-01T00:00:00Z" }, { "filter.before": history }],
    [{ path: "properties.total", op: "more", value: 1 }, { "filter.op": expect.any(String) as never }],
    [
      { path: "timestamp", op: "within_last", value: "1d" },
      { "filter.op": expect.stringContaining("depend on when") as never },
    ],
    [
      { event: "A", where: [{ path: "properties.at", op: "within_next", value: "1d" }] },
      { "filter.where": expect.stringContaining("depend on when") as never },
    ],
    [{ event: "A", path: "properties.total" }, { "filter.event": expect.any(String) as never }],
    [{ any: [] }, { "filter.any": "must be a list of at least one condition" }],
    [{ event: "A", more: 1 }, { "filter.more": expect.any(String) as never }],
    [{}, { filter: `must have one of all, any, not, path, ${NAME_FIELDS.join(", ")}` }],
    [[], { filter: expect.any(String) as never }],
    [{ all: Array.from({ length: 51 }, () => ({ event: "A" })) }, { filter: expect.any(String) as never }],
  ])("%j", (input, expected) => {
    expect(problemsOf(input)).toEqual(expected);
  });

  test("what nests too deep", () => {
    let deep: unknown = { event: "A" };
    for (let level = 0; level < 9; level += 1) deep = { not: deep };
    expect(Object.values(problemsOf(deep))).toEqual(["nests deeper than 8 groups"]);
  });
});
