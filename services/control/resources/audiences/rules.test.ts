import { expect, test } from "@jest/globals";
import { createAudience } from "./audience.ts";
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
