import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { parseCallFilter } from "../definition/call-filter.ts";
import { passesFilter } from "../leaves/call-filter.ts";
import { explainFilter } from "./explain-filter.ts";

const CALL = { type: "track", event: "Order", properties: { total: 120, coupon: null } };

function filter(input: unknown) {
  const reading = parseCallFilter(input);
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.definition;
}

const total = (op: string, value: number) => ({ path: "properties.total", op, value });
const known = (path: string, holds: boolean, value: unknown) => ({ path, holds, value });

describe("what decides is", () => {
  test.each<[unknown, boolean, ReturnType<typeof known>[]]>([
    [total("gt", 100), true, [known("filter", true, 120)]],
    [{ path: "properties.coupon", op: "exists" }, false, [known("filter", false, undefined)]],
    [{ all: [total("gt", 1), total("gt", 200)] }, false, [known("filter.all[1]", false, 120)]],
    [
      { all: [total("gt", 1), total("gt", 2)] },
      true,
      [known("filter.all[0]", true, 120), known("filter.all[1]", true, 120)],
    ],
    [{ any: [total("gt", 200), total("gt", 2)] }, true, [known("filter.any[1]", true, 120)]],
    [{ not: { any: [total("gt", 2)] } }, false, [known("filter.not.any[0]", true, 120)]],
    [{ event: "Refund" }, false, [known("filter.event", false, "Order")]],
    [{ page: "Order" }, false, [known("filter.page", false, undefined)]],
    // In the order of the filter, not in that of equal leaves.
    [
      { event: "Order", where: [total("lt", 500), total("gt", 200)] },
      false,
      [known("filter.where[1]", false, 120)],
    ],
    [
      { event: "Order", where: [total("lt", 500)] },
      true,
      [known("filter.event", true, "Order"), known("filter.where[0]", true, 120)],
    ],
  ])("%j", (input, isPassing, decidedBy) => {
    expect(explainFilter(filter(input), CALL)).toEqual({ isPassing, decidedBy });
  });
});

test("the answer is always the router's", () => {
  const leaf = fc.oneof(
    fc.integer({ min: 0, max: 3 }).map((value) => ({ path: "properties.n", op: "gte", value })),
    fc.constantFrom("A", "B").map((event) => ({ event, where: [{ path: "properties.n", op: "exists" }] })),
  );
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.record({ all: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ any: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ not: tie("node") }),
    ),
  }));
  const call = fc.record({
    type: fc.constantFrom("track", "page"),
    event: fc.constantFrom("A", "B"),
    properties: fc.record({ n: fc.constantFrom(0, 1, 2, 3, null) }),
  });
  fc.assert(
    fc.property(node, call, (input, root) => {
      const reading = parseCallFilter(input);
      if (!reading.ok) return;
      expect(explainFilter(reading.definition, root).isPassing).toBe(passesFilter(reading.definition, root));
    }),
  );
});
