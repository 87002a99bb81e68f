import { expect, test } from "@jest/globals";
import type { TopicDifference } from "#kafka";
import { report } from "./provision.ts";

const RAISE = "left as it is: raise it, or records are deleted before they are read";
const LEFT = "left as it is";

const linesOf = (difference: TopicDifference) =>
  report({ created: [], differing: [difference], raised: [], subjects: [] }).slice(1, -1);

test.each([
  ["shorter than it has to be", "3600000", RAISE],
  ["nothing at all", "0", RAISE],
  ["longer", "7200001", LEFT],
  ["without an end", "-1", LEFT],
])("of a retention that is %s the report says what to do", (_, found, advice) => {
  const lines = linesOf({ topic: "calls", setting: "retention.ms", wanted: "7200000", found });
  expect(lines).toEqual([`  ! calls: retention.ms is ${found}, not 7200000 (${advice})`]);
});

test("another setting that is lower than the map's has no such advice", () => {
  const lines = linesOf({ topic: "calls", setting: "partitions", wanted: "3", found: "2" });
  expect(lines).toEqual([`  ! calls: partitions is 2, not 3 (${LEFT})`]);
});

test("what was made is named, what was there is counted", () => {
  const raised = { topic: "delivery-jobs", setting: "retention.ms", wanted: "7200000", found: "3600000" };
  const subjects = [
    { subject: "calls-value", schemaId: 7, added: true },
    { subject: "dead-letters-value", schemaId: 8, added: false },
  ];
  expect(report({ created: ["calls"], differing: [], raised: [raised], subjects })).toEqual([
    "topics: 1 created",
    "  + calls",
    "  ^ delivery-jobs: retention.ms raised from 3600000 to 7200000",
    "schemas: 1 registered, 1 unchanged",
    "  + calls-value (id 7)",
  ]);
});
