import { expect, test } from "@jest/globals";
import { REDUCE_FNS } from "./definition.ts";
import { parseComputedTrait } from "./parse-computed-trait.ts";

const reduce = { fn: "sum", path: "properties.total" };

test.each(REDUCE_FNS)("the reducer %s is accepted", (fn) => {
  const path = fn === "count" ? undefined : "properties.total";
  const reading = parseComputedTrait({ event: "Order Completed", within: "30d", reduce: { fn, path } });
  expect(reading).toMatchObject({
    ok: true,
    definition: { kind: "trait", leaf: { measure: { kind: "reduce", fn } } },
  });
});

test("pages, windows and where are accepted", () => {
  const where = [{ path: "properties.paid", op: "eq", value: true }];
  expect(parseComputedTrait({ page: "Home", where, between: ["1d", "2d"], reduce })).toMatchObject({
    ok: true,
  });
});

test.each([
  [undefined, "definition", "must be an object, is missing"],
  [{ reduce }, "definition.event", "must be a name"],
  [{ event: "A" }, "definition.reduce", "must be an object, is missing"],
  [{ event: "A", reduce: { fn: "median", path: "a" } }, "definition.reduce.fn", "must be one of count, sum"],
  [{ event: "A", reduce: { fn: "sum" } }, "definition.reduce.path", "must be a path"],
  [{ event: "A", reduce: { fn: "count", path: "a" } }, "definition.reduce.path", "left out"],
  [{ event: "A", reduce: { ...reduce, by: 1 } }, "definition.reduce.by", "is not known here"],
  [{ event: "A", page: "B", reduce }, "definition.page", "is not known here"],
  [{ event: "A", reduce, count: { op: "gte", value: 1 } }, "definition.count", "is not known here"],
  [{ all: [{ event: "A" }], event: "A", reduce }, "definition.all", "is not known here"],
  [{ event: "A", reduce, within: "1s" }, "definition.within", "from 60s to 400d"],
])("%j is refused at %s", (definition, path, message) => {
  const reading = parseComputedTrait(definition);
  expect(reading.ok ? [] : reading.problems).toContainEqual({
    path,
    message: expect.stringContaining(message),
  });
});
