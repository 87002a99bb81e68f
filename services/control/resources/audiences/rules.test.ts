import { expect, test } from "@jest/globals";
import { createAudience } from "./audience.ts";
import { createProblems, previewProblems } from "./rules.ts";

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
